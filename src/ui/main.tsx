import './style/index.css';
import { render } from 'preact';
import { App } from './app/app.tsx';

const root = document.createElement('div');
root.id = 'app';
document.body.append(root);
render(<App />, root);
