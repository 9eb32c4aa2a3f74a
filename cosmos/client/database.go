package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/trust"
)

// Options describes the account, the database and how requests are sent and observed.
type Options struct {
	Endpoint string
	Key      string // account key, base64
	// Credential authorizes requests in place of Key. Its tokens can read and write data, but create
	// and change neither databases nor containers. So Connect compares the containers that exist with
	// Containers.
	Credential azcore.TokenCredential
	Database   string
	// Regions are the account's regions to read from, the preferred one first. Without any, requests
	// are sent to the write region.
	Regions []string
	// Existing requires the database to exist. Otherwise Connect creates the database and its
	// containers if they are missing and there is no Credential.
	Existing bool
	// Transport sends the requests: the embedded engine, or nil for the network.
	Transport policy.Transporter
	// Observers are told of every attempt of every request, in this order.
	Observers []Observer
	// Tracing makes spans of the requests; nil makes none.
	Tracing *Tracing
	// Containers are the containers of the database with their indexing policies.
	Containers []azcosmos.ContainerProperties
	// Sorted are the paths of each container that a query sorts by without a composite index. Without
	// an index of such a path, the query fails.
	Sorted map[string][]string
	// BeforeIndexing migrates the items of an existing container, by its name, before an index that
	// the container lacks is added.
	BeforeIndexing map[string]func(context.Context, *Container) error
}

// How the SDK repeats throttled or failed requests. The caller's deadline ends the attempts earlier.
const (
	maxRetries    = 9
	retryDelay    = 50 * time.Millisecond
	maxRetryDelay = 5 * time.Second
)

// Database is an open database. It is safe for concurrent use.
type Database struct {
	client     *azcosmos.Client
	SDK        *azcosmos.DatabaseClient // for administration and tests
	containers map[string]*Container

	// Warnings describe what makes requests more expensive than necessary or data older than
	// documented. Indexes are compared only if the database was opened with a credential.
	Warnings []string
}

// Connect opens a database. With a key and unless o.Existing is set, it creates the database, its
// containers and their indexes if they are missing. It returns an [UnsuitableAccountError] for an
// account, and a [DefinitionError] for containers, that Inkfeed cannot work with.
func Connect(ctx context.Context, o Options) (*Database, error) {
	check := new(accountCheck)
	client, err := newClient(o, check)
	if err != nil {
		return nil, err
	}
	d := &Database{client: client, containers: make(map[string]*Container)}
	if err := d.open(bootstrapping.In(ctx), o); err != nil {
		client.Close()
		return nil, err
	}
	warnings, err := check.account.Load().checkRegions(o.Regions)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("cosmos: %w", err)
	}
	d.Warnings = append(d.Warnings, warnings...)
	return d, nil
}

func newClient(o Options, check *accountCheck) (client *azcosmos.Client, err error) {
	perCall, observers := []policy.Policy{wireForm{}, check}, o.Observers
	if o.Tracing != nil {
		tracer := newTracer(o.Tracing)
		perCall, observers = append(perCall, tracer), append(slices.Clone(observers), tracer)
	}
	options := &azcosmos.ClientOptions{
		ClientOptions: azcore.ClientOptions{
			Transport: o.Transport,
			Retry: policy.RetryOptions{
				MaxRetries:    maxRetries,
				RetryDelay:    retryDelay,
				MaxRetryDelay: maxRetryDelay,
			},
			PerCallPolicies: perCall,
			PerRetryPolicies: []policy.Policy{
				attempts(observers),
				newSessionTokens(),
				trust.TrustPolicy{},
				deliveryErrors{}, // must be last, next to the transport
			},
		},
		PreferredRegions: o.Regions,
	}
	if o.Credential != nil {
		client, err = azcosmos.NewClient(o.Endpoint, o.Credential, options)
	} else {
		var cred azcosmos.KeyCredential
		if cred, err = azcosmos.NewKeyCredential(o.Key); err != nil {
			return nil, fmt.Errorf("cosmos: connect: the account key is not base64: %w", err)
		}
		client, err = azcosmos.NewClientWithKey(o.Endpoint, cred, options)
	}
	if err != nil {
		return nil, fmt.Errorf("cosmos: connect to %q: %w", o.Endpoint, err)
	}
	return client, nil
}

func (d *Database) open(ctx context.Context, o Options) (err error) {
	if d.SDK, err = d.client.NewDatabase(o.Database); err != nil {
		return fmt.Errorf("cosmos: open database %q: %w", o.Database, err)
	}
	mayCreate := !o.Existing && o.Credential == nil
	if mayCreate {
		_, err = d.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: o.Database}, nil)
	} else {
		_, err = d.SDK.Read(ctx, nil)
	}
	if unsuitable, ok := errors.AsType[*UnsuitableAccountError](err); ok {
		return fmt.Errorf("cosmos: %w", unsuitable)
	}
	switch {
	case StatusOf(err) == http.StatusConflict: // it exists
	case NoContainer(err) && o.Credential != nil && !o.Existing:
		return &DefinitionError{Database: o.Database, Differences: []string{"the database does not exist"}}
	case NoContainer(err):
		return fmt.Errorf("cosmos: there is no database %q", o.Database)
	case err != nil:
		return fmt.Errorf("cosmos: open database %q: %w", o.Database, &callError{err})
	}
	for _, properties := range o.Containers {
		if mayCreate {
			if err := d.ensure(ctx, properties, o.BeforeIndexing[properties.ID]); err != nil {
				return fmt.Errorf("cosmos: create container %q: %w", properties.ID, &callError{err})
			}
		}
		client, err := d.SDK.NewContainer(properties.ID)
		if err != nil {
			return fmt.Errorf("cosmos: open container %q: %w", properties.ID, err)
		}
		d.containers[properties.ID] = &Container{Client: client}
	}
	if o.Credential != nil {
		return d.compare(ctx, o)
	}
	return nil
}

// Container returns a container by its name, which must be among the names in [Options].
func (d *Database) Container(name string) *Container { return d.containers[name] }

// Ping checks whether the database answers. It makes one cheap read.
func (d *Database) Ping(ctx context.Context) error {
	_, err := d.SDK.Read(Reads("ping").In(ctx), nil)
	return Translate(err)
}

// Close releases the client's caches. The database must not be used after it.
func (d *Database) Close() { d.client.Close() }
