// Package client is the access to Azure Cosmos DB for NoSQL that all stores share. It wraps the azcosmos SDK
// with the calls that the model needs: point reads and writes, patches, transactional batches and queries.
//
// A pipeline of policies around each request checks the account, records the charge under the operation's
// name, tells the page cache what was read or written, and carries the session tokens. Exported methods of the
// stores translate the SDK's errors into domain errors with [Translate], once.
package client
