/** The Python SDK. */
import { connectPython } from './python.mjs';

export const connect = (url) => connectPython('python-mcp', 'sdk_python.py', url);
