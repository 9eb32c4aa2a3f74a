// Package cosmos keeps Inkfeed's data in Azure Cosmos DB for NoSQL, through the
// azcosmos SDK only, so that the same code runs on Azure, on an emulator and on
// the embedded engine.
//
// There is one file a container (users.go, posts.go, feed.go, leases.go). Each
// exported method is one of the model's requests, C1–C4 and Q1–Q6, or one of
// the few that workers and commands add, and says what it costs in
// docs/data-model.md. What every method shares is in container.go: errors are
// translated to domain kinds there, once, and a policy in the SDK's pipeline
// records each call under its operation's name (telemetry.go) and carries the
// session tokens (session.go).
package cosmos
