// Package telemetry shows operators what a server does: it makes the logger, and it exports traces and metrics by the
// OpenTelemetry protocol. docs/telemetry.md lists every key of log entries and every attribute of spans.
package telemetry
