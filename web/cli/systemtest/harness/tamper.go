package harness

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// Item is a stored item.
type Item map[string]any

// Database changes items directly, without the rules of the program.
type Database struct {
	T        *testing.T
	database *azcosmos.DatabaseClient
}

// Tamper opens the database in a data folder, which no other process may have open.
func Tamper(t *testing.T, env map[string]string, do func(d *Database)) {
	t.Helper()
	engine, err := embedded.Open(env["INKFEED_DATA"], embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	do(OpenDatabase(t, engine.Endpoint(), engine.Key(), engine))
}

func OpenDatabase(t *testing.T, endpoint, key string, transport policy.Transporter) *Database {
	t.Helper()
	credential, err := azcosmos.NewKeyCredential(key)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(endpoint, credential,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	database, err := client.NewDatabase("inkfeed")
	if err != nil {
		t.Fatal(err)
	}
	return &Database{t, database}
}

func (d *Database) container(name string) *azcosmos.ContainerClient {
	d.T.Helper()
	c, err := d.database.NewContainer(name)
	if err != nil {
		d.T.Fatal(err)
	}
	return c
}

// partition returns the partition key of an item.
func (i Item) partition(container string) azcosmos.PartitionKey {
	path := map[string]string{"users": "userId", "posts": "postId", "feed": "type", "leases": "id",
		"moderation": "queue", "deadletters": "processor"}[container]
	return azcosmos.NewPartitionKeyString(i[path].(string))
}

// Find returns the items of a container that satisfy a condition of the query language.
func (d *Database) Find(container, condition string) []Item {
	d.T.Helper()
	var found []Item
	pager := d.container(container).NewQueryItemsPager("SELECT * FROM c WHERE "+condition,
		azcosmos.NewPartitionKey(), nil)
	for pager.More() {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			d.T.Fatal(err)
		}
		for _, body := range page.Items {
			var i Item
			if err := json.Unmarshal(body, &i); err != nil {
				d.T.Fatal(err)
			}
			found = append(found, i)
		}
	}
	return found
}

func (d *Database) Put(container string, i Item) {
	d.T.Helper()
	body, err := json.Marshal(i)
	if err == nil {
		_, err = d.container(container).UpsertItem(context.Background(), i.partition(container), body, nil)
	}
	if err != nil {
		d.T.Fatal(err)
	}
}

func (d *Database) Delete(container string, i Item) {
	d.T.Helper()
	_, err := d.container(container).DeleteItem(context.Background(), i.partition(container), i["id"].(string), nil)
	if err != nil {
		d.T.Fatal(err)
	}
}

// With returns a copy of the item in which a property has another value.
func (i Item) With(name string, value any) Item {
	changed := Item{}
	for k, v := range i {
		changed[k] = v
	}
	changed[name] = value
	return changed
}
