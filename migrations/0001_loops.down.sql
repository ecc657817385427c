-- Takes back everything that 0001_loops.up.sql made. The migration table itself lives elsewhere.
drop view if exists solid_loop.answers;
drop view if exists solid_loop.transcript;
drop table if exists solid_loop.rate_windows, solid_loop.reconciler_runs, solid_loop.control_requests, solid_loop.live_parts, solid_loop.events, solid_loop.wire_messages cascade;
drop table if exists solid_loop.mcp_tools, solid_loop.tool_calls, solid_loop.mcp_sessions, solid_loop.messages, solid_loop.loops, solid_loop.installation cascade;
drop function if exists solid_loop.mark_call_answered();
drop type if exists solid_loop.requested_stop, solid_loop.tool_effect, solid_loop.message_kind, solid_loop.message_status, solid_loop.message_role, solid_loop.loop_status;
