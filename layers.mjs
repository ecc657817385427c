/** The layers of src/ and what each may import: read by the linter and by the test that walks the imports. */
export const LAYERS = {
  domain: { mayImport: [], why: 'Pure values and functions: free of Node, kysely and zod.' },
  workflows: { mayImport: ['domain'], why: 'The sandbox: activities by type only; everything else belongs into an activity.' },
  agents: { mayImport: ['domain', 'util'], why: 'What users write; the engine lives elsewhere.' },
  llm: { mayImport: ['domain', 'agents', 'util'], why: 'What is stored comes through ports.' },
  tools: { mayImport: ['domain', 'agents', 'util'], why: 'What is stored comes through ports.' },
  db: { mayImport: ['domain', 'util'], why: 'Rows stop here; callers get domain values.' },
  events: { mayImport: ['domain', 'db', 'util'], why: 'The recorder knows rows and redaction, nothing of models or tools.' },
  metrics: { mayImport: ['domain', 'db', 'util'], why: 'Counts and spans: the engine tells it, it tells nobody of the engine.' },
  activities: {
    mayImport: ['domain', 'agents', 'llm', 'tools', 'mcp', 'db', 'events', 'metrics', 'util'],
    why: 'Workers only; composition is in src/app.ts.',
  },
  client: { mayImport: ['domain', 'db', 'workflows', 'metrics', 'util'], why: 'The client changes the tables and wakes Temporal.' },
  config: { mayImport: ['domain', 'agents', 'util'], why: 'The only reader of the environment.' },
  util: { mayImport: [], why: 'No domain words here.' },
};
