package embedded

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// What the fields of an Identity are when they are empty.
const (
	defaultName        = "inkfeed"
	defaultRegion      = "South Central US" // what Microsoft's emulator calls its only one
	defaultConsistency = "Session"
)

// Identity is what the account says of itself. Empty fields mean the defaults.
type Identity struct {
	Name        string // of the account
	Region      string // its only one
	Consistency string // the default level

	// MultipleWrites makes the account announce multiple write regions. It changes nothing else.
	MultipleWrites bool

	// Endpoint is the address that clients are sent to after their first request; an empty
	// one is where that request came in, which suits every client that got so far.
	Endpoint string
}

// EmulatorIdentity is how Microsoft's emulator presents itself at an address, for clients
// and test suites that look at it.
func EmulatorIdentity(endpoint string) Identity {
	return Identity{Name: "localhost", Consistency: "Strong", Endpoint: endpoint}
}

// levels are the consistency levels, the strongest first. The engine has one copy of the
// data and reads what was committed last, so that it keeps any of them.
var levels = []string{"Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"}

func levelOf(name string) int { return slices.Index(levels, name) }

// complete fills the empty fields in.
func (i Identity) complete() (Identity, error) {
	i.Name = cmp.Or(i.Name, defaultName)
	i.Region = cmp.Or(i.Region, defaultRegion)
	i.Consistency = cmp.Or(i.Consistency, defaultConsistency)
	if levelOf(i.Consistency) < 0 {
		return i, fmt.Errorf("the consistency level %q is none of %s", i.Consistency, strings.Join(levels, ", "))
	}
	if u, err := url.Parse(i.Endpoint); i.Endpoint != "" && (err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "/") {
		return i, fmt.Errorf("the endpoint %q is not like https://localhost:8081/", i.Endpoint)
	}
	return i, nil
}

// checkConsistency refuses a level that a request asks for and that is stronger than the
// account's.
func (e *Engine) checkConsistency(level string) error {
	if level == "" {
		return nil
	}
	n := levelOf(level)
	if n < 0 {
		return apierror.BadRequest("The consistency level %q is none of %s.", level, strings.Join(levels, ", "))
	}
	if n < levelOf(e.identity.Consistency) {
		return apierror.BadRequest("The consistency level %q is stronger than the account's, %s.", level, e.identity.Consistency)
	}
	return nil
}
