/** The metrics of quality as meters: a value, where it stands, and where its target is. */
import type { QualityWire } from '#http/wire.ts';

export interface Meter {
  readonly title: string;
  /** Undefined where there is nothing to measure. */
  readonly value: string | undefined;
  readonly target: string;
  /** Of the whole width, from 0 to 1. */
  readonly share: number;
  readonly mark: number;
  readonly isMet: boolean | undefined;
}

const RELATIONS_SHOWN = 6;
const RELATIONS_TARGET = 2;
const REFUSED_TARGET = 0.1;

export function qualityMeters(quality: QualityWire): Meter[] {
  const percent = (value: number | null) =>
    value === null ? undefined : `${Number((value * 100).toFixed(1))} %`;
  const perEntity = quality.relations_per_entity;
  const refused = quality.save_error_rate;
  const whole = (title: string, value: number | null): Meter => ({
    title,
    value: percent(value),
    target: '100 %',
    share: value ?? 0,
    mark: 1,
    isMet: value === null ? undefined : value >= 1,
  });
  return [
    {
      title: 'Refused saves',
      value: percent(refused),
      target: 'below 10 %',
      share: refused ?? 0,
      mark: REFUSED_TARGET,
      isMet: refused === null ? undefined : refused < REFUSED_TARGET,
    },
    whole('Entities with a relation', quality.relation_coverage),
    whole('Facts within the limits', quality.observation_atomicity),
    {
      title: 'Relations per entity',
      value: perEntity === null ? undefined : perEntity.toFixed(1),
      target: 'above 2',
      share: Math.min(1, (perEntity ?? 0) / RELATIONS_SHOWN),
      mark: RELATIONS_TARGET / RELATIONS_SHOWN,
      isMet: perEntity === null ? undefined : perEntity > RELATIONS_TARGET,
    },
  ];
}
