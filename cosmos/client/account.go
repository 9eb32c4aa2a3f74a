package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// consistencyLevels are the default consistency levels of an account that are strong enough. With a
// weaker level a process might not read its own writes. The page cache and the propagation of
// renames depend on that.
var consistencyLevels = []string{"Strong", "BoundedStaleness", "Session"}

// UnsuitableAccountError reports an account whose settings Inkfeed cannot work with.
type UnsuitableAccountError struct{ reason string }

func (e *UnsuitableAccountError) Error() string { return e.reason }

// NonRetriable tells the SDK's pipeline not to retry the request.
func (e *UnsuitableAccountError) NonRetriable() {}

// accountCheck is a pipeline policy that checks the account document, which the SDK reads before
// its first request and every five minutes. If the check fails, that request fails.
type accountCheck struct{ account atomic.Pointer[account] }

func (c *accountCheck) Do(r *policy.Request) (*http.Response, error) {
	resp, err := r.Next()
	if err != nil || r.Raw().Method != http.MethodGet || strings.Trim(r.Raw().URL.Path, "/") != "" ||
		resp.StatusCode != http.StatusOK {
		return resp, err
	}
	body, err := runtime.Payload(resp) // the SDK can still read it
	if err != nil {
		return resp, err
	}
	a, err := parseAccount(body)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return nil, err
	}
	c.account.Store(a)
	return resp, nil
}

// account is the part of an account's document that Inkfeed checks.
type account struct {
	Consistency struct {
		Level string `json:"defaultConsistencyLevel"`
	} `json:"userConsistencyPolicy"`
	MultipleWrites bool       `json:"enableMultipleWriteLocations"`
	Writable       []location `json:"writableLocations"`
	Readable       []location `json:"readableLocations"`
}

// location is a region of an account.
type location struct {
	Name string `json:"name"`
}

func parseAccount(document []byte) (*account, error) {
	a := new(account)
	if err := json.Unmarshal(document, a); err != nil {
		return nil, fmt.Errorf("parse the account document: %w", err)
	}
	return a, nil
}

// CheckAccount reports why Inkfeed cannot work with the account that a document describes.
func CheckAccount(document []byte) error {
	a, err := parseAccount(document)
	if err != nil {
		return err
	}
	return a.check()
}

func (a *account) check() error {
	level := a.Consistency.Level
	switch {
	case !slices.ContainsFunc(consistencyLevels, func(l string) bool { return strings.EqualFold(l, level) }):
		return &UnsuitableAccountError{
			fmt.Sprintf("the account's default consistency level is %q: Inkfeed needs Session or a stronger one",
				level),
		}
	case a.MultipleWrites:
		return &UnsuitableAccountError{"the account has multiple write regions: Inkfeed needs a single one"}
	}
	return nil
}

// checkRegions returns an [UnknownRegionError] if the account has none of the preferred regions. The warnings name the
// missing regions and say what the remaining ones weaken. The SDK ignores missing regions. A missing region is no
// error, because an offline region may be missing and instances must still start.
func (a *account) checkRegions(preferred []string) (warnings []string, err error) {
	var names, known []string
	for _, l := range a.Readable {
		names = append(names, l.Name)
	}
	for _, name := range preferred {
		if slices.ContainsFunc(names, func(have string) bool { return sameRegion(have, name) }) {
			known = append(known, name)
			continue
		}
		warnings = append(warnings,
			fmt.Sprintf("the account has no region %q, only %s", name, strings.Join(names, ", ")))
	}
	if len(known) == 0 && len(preferred) > 0 {
		return nil, &UnknownRegionError{Region: preferred[0], Regions: names}
	}
	if len(known) == 0 || len(a.Writable) == 0 {
		return warnings, nil
	}
	if len(known) == 1 && len(names) > 1 { // the SDK reads from no region that is not listed
		warnings = append(warnings, fmt.Sprintf("only %s is a preferred region: reads fail while it is down", known[0]))
	}
	if !sameRegion(known[0], a.Writable[0].Name) && !strings.EqualFold(a.Consistency.Level, "Strong") {
		warnings = append(warnings, fmt.Sprintf("reads come from %s and writes go to %s: with the consistency level "+
			"%s, pages and sessions can be older than three seconds by the time of replication",
			known[0], a.Writable[0].Name, a.Consistency.Level))
	}
	return warnings, nil
}

// sameRegion compares names of regions as the SDK does, without regard to case and spaces.
func sameRegion(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(b, " ", ""))
}

// UnknownRegionError reports that the account has none of the preferred regions. Region is the first of them.
type UnknownRegionError struct {
	Region  string
	Regions []string // those of the account
}

func (e *UnknownRegionError) Error() string {
	return fmt.Sprintf("the account has no region %q, only %s", e.Region, strings.Join(e.Regions, ", "))
}
