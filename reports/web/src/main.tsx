import { render } from 'preact';
import { App } from './app';
import './styles/base.css';
import './styles/tables.css';
import './styles/pages.css';
import './styles/performance.css';

const root = document.getElementById('app');
if (root) render(<App />, root);
