package cosmos

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

const sessionHeader = "x-ms-session-token"

// sessions is a pipeline policy that lets this process read its own writes on
// an account with session consistency: it keeps the newest session token of
// each partition key range and sends them along, as other languages' SDKs do
// and azcosmos leaves to the application.
type sessions struct {
	mu     sync.Mutex
	tokens map[string]map[string]string // container → range id → token
	late   map[string]int               // container → answers in a row from a replica behind it
}

func newSessions() *sessions {
	return &sessions{tokens: make(map[string]map[string]string), late: make(map[string]int)}
}

func (s *sessions) Do(r *policy.Request) (*http.Response, error) {
	name := containerOf(r.Raw().URL.Path)
	if name == "" {
		return r.Next()
	}
	if token := s.token(name); token != "" && r.Raw().Header.Get(sessionHeader) == "" {
		r.Raw().Header.Set(sessionHeader, token)
	}
	resp, err := r.Next()
	if err != nil {
		return resp, err
	}
	if resp.StatusCode == http.StatusNotFound && resp.Header.Get("x-ms-substatus") == substatusReadSessionNotAvailable {
		s.behind(name)
		return resp, nil
	}
	s.learn(name, resp.Header.Get(sessionHeader))
	return resp, nil
}

// maxBehind is how many answers in a row may say that the replica is behind the
// token. The SDK asks again once by itself; beyond that the data is most likely
// an older copy, which will never catch up, and the tokens are dropped.
const maxBehind = 4

func (s *sessions) behind(container string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late[container]++; s.late[container] > maxBehind {
		delete(s.tokens, container)
		delete(s.late, container)
	}
}

func (s *sessions) token(container string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ranges := s.tokens[container]
	parts := make([]string, 0, len(ranges))
	for _, id := range slices.Sorted(maps.Keys(ranges)) {
		parts = append(parts, id+":"+ranges[id])
	}
	return strings.Join(parts, ",")
}

func (s *sessions) learn(container, header string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range strings.SplitSeq(header, ",") {
		id, token, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		if s.tokens[container] == nil {
			s.tokens[container] = make(map[string]string)
		}
		if newer(token, s.tokens[container][id]) {
			s.tokens[container][id] = token
		}
	}
	delete(s.late, container)
}

// newer reports whether token a is of a later state than b: a later version,
// which a failover makes, or a higher LSN of the same one.
func newer(a, b string) bool {
	versionA, lsnA := parseSession(a)
	versionB, lsnB := parseSession(b)
	return b == "" || versionA > versionB || versionA == versionB && lsnA >= lsnB
}

// parseSession reads "<version>#<lsn>[#<region>=<lsn>…]". A form it does not know
// counts as newest, so that it is passed on as the service sent it.
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

// sessionLSN is the LSN in a session token of one range, "<range>:<token>", and 0
// when there is none that can be read.
func sessionLSN(header string) int64 {
	_, token, _ := strings.Cut(header, ":")
	fields := strings.Split(token, "#")
	lsn, err := strconv.ParseInt(fields[min(1, len(fields)-1)], 10, 64) // some have no version
	if err != nil {
		return 0
	}
	return lsn
}
