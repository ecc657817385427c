#!/bin/sh
# Makes or updates the two databases of the Temporal server. Safe to run again.
set -eu
for database in temporal visibility; do
  name=temporal; [ "$database" = visibility ] && name=temporal_visibility
  temporal-sql-tool --plugin "$SQL_PLUGIN" --ep "$SQL_HOST" -p "$SQL_PORT" -u "$SQL_USER" --pw "$SQL_PASSWORD" --db "$name" create || true
  temporal-sql-tool --plugin "$SQL_PLUGIN" --ep "$SQL_HOST" -p "$SQL_PORT" -u "$SQL_USER" --pw "$SQL_PASSWORD" --db "$name" setup-schema -v 0.0 || true
  temporal-sql-tool --plugin "$SQL_PLUGIN" --ep "$SQL_HOST" -p "$SQL_PORT" -u "$SQL_USER" --pw "$SQL_PASSWORD" --db "$name" update-schema -d "/etc/temporal/schema/postgresql/v12/$database/versioned"
done
