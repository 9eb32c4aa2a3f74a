package catalog

import (
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
)

// checkSession refuses a session token that is ahead of us: its client has seen another
// copy of the data. That of a range that was split is kept by those that it was split
// into, for their LSNs go on from its last.
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
		if rng := c.RangeEver(num); rng == nil || version > sessionVersion || lsn > rng.LSN.Load() {
			return apierror.New(http.StatusNotFound, apierror.SubSessionAhead, "The read session is not available for the input session token.")
		}
	}
	return nil
}

// sessionVersion is that of our session tokens. The service counts it up as it fails over
// to another region, which we do not.
const sessionVersion = -1

// readSession reads what a session token says of a range: a version, an LSN and maybe
// those of regions, as in 1#100#5=99.
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
