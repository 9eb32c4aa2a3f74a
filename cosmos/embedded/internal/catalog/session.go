package catalog

import (
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// CheckSession fails if a session token is ahead of the engine: the client has then seen another
// copy of the data. A token of a range that was split remains valid, because the new ranges
// continue its LSNs.
func (c *Container) CheckSession(token string) error {
	if token == "" {
		return nil
	}
	for part := range strings.SplitSeq(token, ",") {
		id, state, ok := strings.Cut(strings.TrimSpace(part), ":")
		num, err := strconv.Atoi(id)
		version, lsn, valid := readSession(state)
		if !ok || err != nil || !valid {
			return apierror.BadRequest("The session token %q is not valid.", token)
		}
		if rng := c.CurrentOrFormerRange(num); rng == nil || version > sessionVersion || lsn > rng.LSN.Load() {
			return apierror.New(http.StatusNotFound, apierror.SubSessionAhead,
				"The read session is not available for the input session token.")
		}
	}
	return nil
}

// sessionVersion is the version in the engine's session tokens. The service increments it when it
// fails over to another region, which the engine does not do.
const sessionVersion = -1

// readSession parses the part of a session token for one range: a version, an LSN and optionally
// the LSNs of regions, as in 1#100#5=99.
func readSession(state string) (version, lsn int64, ok bool) {
	fields := strings.Split(state, "#")
	if len(fields) < 2 {
		return 0, 0, false
	}
	version, err1 := strconv.ParseInt(fields[0], 10, 64)
	lsn, err2 := strconv.ParseInt(fields[1], 10, 64)
	ok = err1 == nil && err2 == nil && version >= sessionVersion
	for _, region := range fields[2:] {
		id, local, _ := strings.Cut(region, "=")
		_, err1 = strconv.ParseInt(id, 10, 64)
		_, err2 = strconv.ParseInt(local, 10, 64)
		ok = ok && err1 == nil && err2 == nil
	}
	return version, lsn, ok
}
