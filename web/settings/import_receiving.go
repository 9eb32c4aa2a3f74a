package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/remote"
)

// Limits of the exports that an instance receives at a time: from all users, and from one network. A user sends one.
const (
	maxReceiving        = 16
	maxNetworkReceiving = 4
)

// receiving are the exports that this instance receives at the moment.
type receiving struct {
	mu       sync.Mutex
	users    map[string]bool
	networks map[string]int
}

func newReceiving() *receiving {
	return &receiving{users: make(map[string]bool), networks: make(map[string]int)}
}

// enter begins an upload of a user from a network, which may be empty. The caller calls leave when the upload has
// ended.
func (r *receiving) enter(user, network string) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.users[user]:
		return nil, errImportBusy
	case len(r.users) == maxReceiving, network != "" && r.networks[network] == maxNetworkReceiving:
		return nil, errManyImports
	}
	r.users[user] = true
	r.networks[network]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.users, user)
		if r.networks[network]--; r.networks[network] == 0 {
			delete(r.networks, network)
		}
	}, nil
}

// networkOf returns a digest of the widest limited network of the client, or "" if its networks have no limits.
func networkOf(c echo.Context) string {
	network := remote.Of(c.Request()).WidestNetwork()
	if network == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(network))
	return hex.EncodeToString(sum[:16])
}
