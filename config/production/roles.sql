-- Run once by the owner of the database, before the first migration. The servers need no more than this role may do.
\set ON_ERROR_STOP on
\set password `cat "$SERVER_PASSWORD_FILE"`
create role yield_vault_server login password :'password';
revoke create on schema public from public;
grant select, insert, update, delete on all tables in schema public to yield_vault_server;
alter default privileges in schema public grant select, insert, update, delete on tables to yield_vault_server;
alter default privileges in schema public grant usage on sequences to yield_vault_server;
