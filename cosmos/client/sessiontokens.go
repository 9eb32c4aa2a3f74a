package client

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// SessionHeader is the header of session tokens, in requests and answers.
const SessionHeader = "x-ms-session-token"

// sessionTokens is a pipeline policy that lets this process read its own writes on an account with
// session consistency. It remembers the newest session token of each partition key range and sends
// the tokens with each request. Other languages' SDKs do so themselves; azcosmos does not.
type sessionTokens struct {
	mu     sync.Mutex
	tokens map[string]map[string]sessionToken // container → range id → token
	late   map[string]time.Time               // container → when a replica first refused its tokens
	rids   map[string]string                  // container → its resource id
}

// sessionToken is the newest token of a range, with the time of the last answer from a replica that
// had reached it.
type sessionToken struct {
	text    string
	reached time.Time
}

func newSessionTokens() *sessionTokens {
	return &sessionTokens{tokens: make(map[string]map[string]sessionToken), late: make(map[string]time.Time),
		rids: make(map[string]string)}
}

func (s *sessionTokens) Do(r *policy.Request) (*http.Response, error) {
	name := ContainerOf(r.Raw().URL.Path)
	if name == "" {
		return r.Next()
	}
	if token := s.token(name); token != "" && r.Raw().Header.Get(SessionHeader) == "" {
		r.Raw().Header.Set(SessionHeader, token)
	}
	resp, err := r.Next()
	if err != nil {
		return resp, err
	}
	s.identify(name, resp.Header.Get("x-ms-content-path"))
	if resp.StatusCode == http.StatusNotFound && resp.Header.Get("x-ms-substatus") == SubstatusReadSessionNotAvailable {
		s.behind(name)
		return resp, nil
	}
	s.learn(name, resp.Header.Get(SessionHeader))
	return resp, nil
}

// identify drops the tokens of a container that was deleted and created again under the same name.
// The new container has another resource id, and its tokens start over.
func (s *sessionTokens) identify(container, rid string) {
	if rid == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.rids[container]; ok && known != rid {
		delete(s.tokens, container)
		delete(s.late, container)
	}
	s.rids[container] = rid
}

// behindLimit is how long tokens may be refused before they are dropped.
//
// A replica normally catches up within moments. Until then requests must carry the tokens: without
// them a replica could answer that an item does not exist which this process has just written. If
// the data was replaced by an older copy, no replica ever reaches the tokens.
const behindLimit = time.Minute

// behind records that a replica refused the tokens of a container. After refusals for behindLimit,
// it drops the tokens that no answer has reached in that time.
func (s *sessionTokens) behind(container string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since, ok := s.late[container]
	switch {
	case !ok:
		s.late[container] = time.Now()
	case time.Since(since) > behindLimit:
		delete(s.late, container)
		maps.DeleteFunc(s.tokens[container], func(_ string, t sessionToken) bool { return !t.reached.After(since) })
	}
}

func (s *sessionTokens) token(container string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ranges := s.tokens[container]
	parts := make([]string, 0, len(ranges))
	for _, id := range slices.Sorted(maps.Keys(ranges)) {
		parts = append(parts, id+":"+ranges[id].text)
	}
	return strings.Join(parts, ",")
}

func (s *sessionTokens) learn(container, header string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range strings.SplitSeq(header, ",") {
		id, token, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		if s.tokens[container] == nil {
			s.tokens[container] = make(map[string]sessionToken)
		}
		if newer(token, s.tokens[container][id].text) {
			s.tokens[container][id] = sessionToken{token, time.Now()}
		}
	}
}

// newer reports whether token a is at least as new as b: it has a later version, which a failover
// begins, or the same version and no lower LSN.
func newer(a, b string) bool {
	versionA, lsnA := parseSession(a)
	versionB, lsnB := parseSession(b)
	return b == "" || versionA > versionB || versionA == versionB && lsnA >= lsnB
}

// parseSession parses "<version>#<lsn>[#<region>=<lsn>…]". A token of unknown form counts as the
// newest, so that it is sent back as the service sent it.
func parseSession(token string) (version, lsn int64) {
	fields := strings.Split(token, "#")
	if len(fields) < 2 {
		return math.MaxInt64, math.MaxInt64
	}
	version, err := strconv.ParseInt(fields[0], 10, 64)
	if err == nil {
		lsn, err = strconv.ParseInt(fields[1], 10, 64)
	}
	if err != nil {
		return math.MaxInt64, math.MaxInt64
	}
	return version, lsn
}

// SessionLSN returns the LSN in a session token of one range, "<range>:<token>", and 0 if the token
// cannot be parsed.
func SessionLSN(header string) int64 {
	_, token, _ := strings.Cut(header, ":")
	fields := strings.Split(token, "#")
	lsn, err := strconv.ParseInt(fields[min(1, len(fields)-1)], 10, 64) // some tokens have no version
	if err != nil {
		return 0
	}
	return lsn
}
