// Command inkfeed is a multi-user blog on Azure Cosmos DB, or on an embedded
// engine that speaks the same protocol.
package main

import "inkfeed/web/cli"

func main() { cli.Main() }
