-- The accounts of Lendline's programs on MySQL 8.4 or MariaDB 10.11, each with the rights that it
-- needs and no more. `ops accounts mysql` fills in the names in ${} and runs this as an
-- administrator: before the first `migrate`, after an upgrade, and to set new passwords.
CREATE DATABASE IF NOT EXISTS `${database}` CHARACTER SET utf8mb4;

-- Migrations: everything in this schema, nothing beyond it.
CREATE USER IF NOT EXISTS '${prefix}_migrate'@'%' IDENTIFIED BY '${migratePassword}';
ALTER USER '${prefix}_migrate'@'%' IDENTIFIED BY '${migratePassword}';
GRANT ALL PRIVILEGES ON `${database}`.* TO '${prefix}_migrate'@'%';

-- Workers and operator's commands: every row, no table.
CREATE USER IF NOT EXISTS '${prefix}_worker'@'%' IDENTIFIED BY '${workerPassword}';
ALTER USER '${prefix}_worker'@'%' IDENTIFIED BY '${workerPassword}';
GRANT SELECT, INSERT, UPDATE, DELETE ON `${database}`.* TO '${prefix}_worker'@'%';

-- APIs: they read, and write what belongs to requests and to the start of an installation. Of
-- what the services keep they change nothing.
CREATE USER IF NOT EXISTS '${prefix}_api'@'%' IDENTIFIED BY '${apiPassword}';
ALTER USER '${prefix}_api'@'%' IDENTIFIED BY '${apiPassword}';
GRANT SELECT ON `${database}`.* TO '${prefix}_api'@'%';
-- A right on a table that is not there yet can only be given together with CREATE.
GRANT CREATE, INSERT, UPDATE, DELETE ON `${database}`.idempotency_key TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.idempotency_key FROM '${prefix}_api'@'%';
GRANT CREATE, INSERT, UPDATE ON `${database}`.command_way TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.command_way FROM '${prefix}_api'@'%';
GRANT CREATE, INSERT ON `${database}`.partition_layout TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.partition_layout FROM '${prefix}_api'@'%';
GRANT CREATE, INSERT ON `${database}`.partition_owner TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.partition_owner FROM '${prefix}_api'@'%';
-- Failed and blocked sign-ins, and what the console does to dead letters.
GRANT CREATE, INSERT ON `${database}`.audit TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.audit FROM '${prefix}_api'@'%';
-- The console replays and discards dead letters.
GRANT CREATE, UPDATE, DELETE ON `${database}`.dead_letter TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.dead_letter FROM '${prefix}_api'@'%';
GRANT CREATE, INSERT ON `${database}`.outgoing_command TO '${prefix}_api'@'%';
REVOKE CREATE ON `${database}`.outgoing_command FROM '${prefix}_api'@'%';
