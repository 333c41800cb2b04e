import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  /** Plain where left out. A view has one primary button. */
  readonly look?: 'primary' | 'quiet' | 'danger' | 'danger-filled';
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly isDisabled?: boolean;
  readonly type?: 'button' | 'submit';
  readonly children?: ComponentChildren;
}

const LOOKS = {
  primary: 'pri',
  quiet: 'quiet',
  danger: 'quiet danger',
  'danger-filled': 'dangerfill',
};

/** An icon alone needs `aria-label`, which becomes its title as well. */
export function Button(props: ButtonProps) {
  const {
    look,
    icon,
    isSmall,
    isDisabled,
    type = 'button',
    children,
    class: more,
    ...rest
  } = props;
  const isIconAlone = icon !== undefined && children === undefined;
  const classes = [
    'b',
    look && LOOKS[look],
    isSmall && 'sm',
    isIconAlone && 'icon',
    typeof more === 'string' && more,
  ];
  const label = rest['aria-label'];
  return (
    <button
      title={isIconAlone && typeof label === 'string' ? label : undefined}
      {...rest}
      type={type}
      class={classes.filter(Boolean).join(' ')}
      disabled={isDisabled}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
