// Package client gives all stores access to Azure Cosmos DB for NoSQL. It wraps the azcosmos SDK
// with the calls that the model needs: point reads and writes, patches, transactional batches and
// queries.
//
// Each request passes through a pipeline of policies. They check the account, record the charge
// under the operation's name, report the partitions read and written to the page cache, and add the
// session tokens. The exported methods of the stores convert the SDK's errors to domain errors with
// [Translate], once.
package client
