package cosmos

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// full is a transport that answers all writes of items as a logical partition of 20 GB does.
type full struct{ policy.Transporter }

func (f full) Do(r *http.Request) (*http.Response, error) {
	if client.IsRead(r) || client.ContainerOf(r.URL.Path) == "" {
		return f.Transporter.Do(r)
	}
	header := http.Header{"X-Ms-Substatus": {"1014"}}
	status, body := http.StatusForbidden, `{"code":"Forbidden","message":"the partition key reached its maximum size"}`
	if r.Header.Get("x-ms-cosmos-is-batch-request") != "" {
		var operations []json.RawMessage
		sent, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(sent)).Decode(&operations)
		}
		if err != nil {
			return nil, err
		}
		results := []string{`{"statusCode":403,"subStatusCode":1014,"requestCharge":1}`}
		for range operations[1:] {
			results = append(results, `{"statusCode":424,"requestCharge":0}`)
		}
		status, body, header = http.StatusMultiStatus, "["+strings.Join(results, ",")+"]", http.Header{}
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Request: r,
		Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// A projector repeats a change for ever while the storage is unavailable, and stops its whole feed range.
func TestAFullLogicalPartitionIsNotAnUnavailableStorage(t *testing.T) {
	d := newDrafter(t)
	d.stalling.Transporter = full{d.stalling.Transporter}
	t.Run("for the write of an item", func(t *testing.T) {
		if err := d.Profiles.SetLanguage(t.Context(), d.author.ID, "fr"); !domain.Is(err, domain.TooLarge) {
			t.Errorf("%v, want too large", err)
		}
	})
	t.Run("for a transactional batch", func(t *testing.T) {
		header := domain.Cover{Image: domain.NewImageName(d.author.ID, []byte("picture"), 1, 1, "png")}
		if err := d.Profiles.SetHeader(t.Context(), d.author.ID, header); !domain.Is(err, domain.TooLarge) {
			t.Errorf("%v, want too large", err)
		}
	})
}
