#!/bin/sh
# Makes the namespace and the search attributes, if they are missing. Closed histories are kept 7 days; Postgres keeps the transcripts.
set -eu
temporal operator namespace describe -n default >/dev/null 2>&1 || temporal operator namespace create -n default --retention 168h
for name in SolidLoopAgent SolidLoopStatus SolidLoopSubject; do
  temporal operator search-attribute list -n default | grep -q "$name" || temporal operator search-attribute create -n default --name "$name" --type Keyword
done
