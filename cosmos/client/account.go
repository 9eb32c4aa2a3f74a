package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

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
// its first request. If the check fails, that request fails.
type accountCheck struct{}

func (accountCheck) Do(r *policy.Request) (*http.Response, error) {
	resp, err := r.Next()
	if err != nil || r.Raw().Method != http.MethodGet || strings.Trim(r.Raw().URL.Path, "/") != "" ||
		resp.StatusCode != http.StatusOK {
		return resp, err
	}
	body, err := runtime.Payload(resp) // the SDK can still read it
	if err != nil {
		return resp, err
	}
	if err := CheckAccount(body); err != nil {
		return nil, err
	}
	return resp, nil
}

// CheckAccount reports why Inkfeed cannot work with the account that a document describes.
func CheckAccount(document []byte) error {
	var account struct {
		Consistency struct {
			Level string `json:"defaultConsistencyLevel"`
		} `json:"userConsistencyPolicy"`
		MultipleWrites bool `json:"enableMultipleWriteLocations"`
	}
	if err := json.Unmarshal(document, &account); err != nil {
		return fmt.Errorf("parse the account document: %w", err)
	}
	level := account.Consistency.Level
	switch {
	case !slices.ContainsFunc(consistencyLevels, func(l string) bool { return strings.EqualFold(l, level) }):
		return &UnsuitableAccountError{
			fmt.Sprintf("the account's default consistency level is %q: Inkfeed needs Session or a stronger one",
				level),
		}
	case account.MultipleWrites:
		return &UnsuitableAccountError{"the account has multiple write regions: Inkfeed needs a single one"}
	}
	return nil
}
