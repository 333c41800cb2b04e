/** LangChain for Python. */
import { connectPython } from './python.mjs';

export const connect = (url) =>
  connectPython('python-langchain-mcp-adapters', 'langchain_python.py', url);
