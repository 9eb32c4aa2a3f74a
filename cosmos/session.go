package cosmos

import (
	"maps"
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
}

func newSessions() *sessions { return &sessions{tokens: make(map[string]map[string]string)} }

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
	if resp.StatusCode == http.StatusNotFound &&
		resp.Header.Get("x-ms-substatus") == substatusReadSessionNotAvailable {
		// The replica is behind, or the data was replaced by an older copy. The
		// SDK retries; without a token the next call cannot fail like this again.
		s.forget(name)
		r.Raw().Header.Del(sessionHeader)
		return resp, nil
	}
	s.learn(name, resp.Header.Get(sessionHeader))
	return resp, nil
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
		if sessionLSN(token) >= sessionLSN(s.tokens[container][id]) {
			s.tokens[container][id] = token
		}
	}
}

func (s *sessions) forget(container string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, container)
}

// sessionLSN is what tokens of one range are compared by: the LSN in
// "<version>#<lsn>[#<region>=<lsn>…]". A token it cannot read counts as newest,
// so that an unknown form is passed on as the service sent it.
func sessionLSN(token string) int64 {
	if token == "" {
		return -1
	}
	fields := strings.Split(token, "#")
	if len(fields) < 2 {
		return 1<<63 - 1
	}
	lsn, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 1<<63 - 1
	}
	return lsn
}
