package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/identity"
)

// The built-in roles that an identity needs. See "Data plane security reference",
// learn.microsoft.com/azure/cosmos-db/nosql/reference-data-plane-security, and "Azure built-in roles for Storage",
// learn.microsoft.com/azure/role-based-access-control/built-in-roles/storage.
const (
	databaseRole = "Cosmos DB Built-in Data Contributor"
	picturesRole = "Storage Blob Data Contributor"
)

// Reasons for which the services refuse a token. The substatus and its text are those of
// github.com/Azure/azure-cosmos-dotnet-v3, issue 2891; the code is that of "Azure Blob Storage error codes",
// learn.microsoft.com/rest/api/storageservices/blob-service-error-codes.
const (
	substatusNoRole = "5301"
	codeNoRole      = "AuthorizationPermissionMismatch"
)

// refusedAction matches the action and the resource in the text of a refusal by substatusNoRole. Issue 3638 of the same
// repository has a text with numbers of the operation and of the resource's type.
var refusedAction = regexp.MustCompile(`perform action \[([^\]]+)\](?: with OperationType \[[^\]]*\] and ` +
	`ResourceType \[[^\]]*\])? on resource \[([^\]]+)\]`)

// usesIdentity reports whether the account is used with the tokens of an identity.
func (c *Config) usesIdentity() bool { return c.Endpoint != "" && c.Key == "" }

// credential returns the identity for the database. On a loopback address there is an emulator or an engine, for
// which Microsoft Entra ID has no tokens, so its tokens are emulator tokens. These contain no secret, and no others
// are ever sent over COSMOS_INSECURE_TLS.
func (c *Config) credential() (*identity.Credential, error) {
	if c.onThisMachine() {
		return identity.New(embedded.EmulatorCredential{}), nil
	}
	return c.azureIdentity()
}

// azureIdentity returns the identity of Microsoft Entra ID, which the database and the pictures share.
func (c *Config) azureIdentity() (_ *identity.Credential, err error) {
	if c.azure == nil {
		c.azure, err = identity.Default()
	}
	return c.azure, err
}

// explainIdentityError adds to an error of the database what the identity needs.
func (c *Config) explainIdentityError(who fmt.Stringer, err error) error {
	if tokenless, ok := errors.AsType[*identity.TokenError](err); ok {
		return fmt.Errorf("COSMOS_KEY: not set, and there is no identity to use in its place: assign a managed "+
			"identity to the app, log in with az login, or set the key: %s", oneLine(tokenless.Error()))
	}
	if different, ok := errors.AsType[*client.DefinitionError](err); ok {
		return fmt.Errorf("COSMOS_DATABASE: %w\nAn identity may not change this: deploy the definitions that inkfeed "+
			"schema prints (docs/identity.md)", different)
	}
	failed, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok || failed.RawResponse == nil {
		return c.explainConnectionError(err)
	}
	reason := serviceMessage(failed)
	switch {
	case failed.StatusCode == http.StatusUnauthorized && c.onThisMachine():
		return fmt.Errorf("COSMOS_KEY: not set, and %s accepts no emulator tokens, because it has a key of its own: %w",
			c.Endpoint, err)
	case failed.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("COSMOS_ENDPOINT: %s does not accept the token of %s: %s: %w", c.Endpoint, who, reason, err)
	case failed.RawResponse.Header.Get("x-ms-substatus") == substatusNoRole:
		action := "this"
		if found := refusedAction.FindStringSubmatch(reason); found != nil {
			action = fmt.Sprintf("the action %s on %s", found[1], found[2])
		}
		return fmt.Errorf("COSMOS_ENDPOINT: %s may not perform %s: assign it the role %q of %s with the scope "+
			"/dbs/%s, or / for the whole account (docs/identity.md): %w", who, action, databaseRole, c.Endpoint,
			c.Database, err)
	case failed.StatusCode == http.StatusForbidden:
		return fmt.Errorf("COSMOS_ENDPOINT: %s refuses %s: %s: %w", c.Endpoint, who, reason, err)
	}
	return err
}

// ExplainFilesError adds the setting that prevented access to the storage of pictures to the error and, if an identity
// is used, what the identity needs.
func (c *Config) ExplainFilesError(err error) error {
	if tokenless, ok := errors.AsType[*identity.TokenError](err); ok {
		return fmt.Errorf("%s: has no signature, and there is no identity to use in its place: assign a managed "+
			"identity to the app, or log in with az login: %s", c.MediaSetting(), oneLine(tokenless.Error()))
	}
	failed, ok := errors.AsType[*azcore.ResponseError](err)
	switch {
	case !ok || c.azure == nil || !c.blobs().needsIdentity():
	case failed.ErrorCode == codeNoRole:
		return fmt.Errorf("%s: %s may not do this: assign it the role %q with the scope of the container or its "+
			"storage account (docs/identity.md): %w", c.MediaSetting(), c.azure, picturesRole, err)
	case failed.ErrorCode == "ContainerNotFound":
		return fmt.Errorf("%s: the container does not exist, and with an identity Inkfeed does not create it: %w",
			c.MediaSetting(), err)
	case failed.StatusCode == http.StatusUnauthorized || failed.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: the storage account refuses %s: %w", c.MediaSetting(), c.azure, err)
	}
	return fmt.Errorf("%s: %w", c.MediaSetting(), err)
}

// serviceMessage returns the first line of the text in which Cosmos DB gives the reason of a failure.
func serviceMessage(failed *azcore.ResponseError) string {
	var answer struct {
		Message string `json:"message"`
	}
	body, err := runtime.Payload(failed.RawResponse)
	if err != nil || json.Unmarshal(body, &answer) != nil || answer.Message == "" {
		return "no reason was given"
	}
	first, _, _ := strings.Cut(answer.Message, "\n")
	return strings.TrimSuffix(strings.TrimSpace(first), ".")
}

// oneLine joins the lines of an error of azidentity, without the lines that only divide others.
func oneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.Trim(line, "-\t\r\n "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
