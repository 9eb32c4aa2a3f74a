package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"

	"inkfeed/domain"
)

// answered returns the SDK's error for an answer.
func answered(status int, substatus string) error {
	return runtime.NewResponseError(&http.Response{
		StatusCode: status, Status: fmt.Sprint(status, " ", http.StatusText(status)),
		Header:  http.Header{"X-Ms-Substatus": {substatus}, "X-Ms-Activity-Id": {"a1"}},
		Body:    io.NopCloser(strings.NewReader(`{"code":"X","message":"secret detail"}`)),
		Request: &http.Request{Method: http.MethodPut, URL: &url.URL{Scheme: "https", Host: "h", Path: "/dbs/d"}},
	})
}

func TestTranslate(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want domain.Kind
	}{
		"a missing item":                  {answered(404, ""), domain.NotFound},
		"a replica that is behind":        {answered(404, "1002"), domain.Unavailable},
		"a missing container":             {answered(404, "1003"), domain.Unavailable},
		"a taken id":                      {answered(409, ""), domain.Conflict},
		"a failed condition":              {answered(412, ""), domain.Conflict},
		"an item that is too large":       {answered(413, ""), domain.TooLarge},
		"throttled":                       {answered(429, "3200"), domain.Unavailable},
		"a server that is unavailable":    {answered(503, ""), domain.Unavailable},
		"an invalid request":              {answered(400, ""), domain.Internal},
		"a wrong key":                     {answered(401, ""), domain.Unavailable},
		"a firewall":                      {answered(403, ""), domain.Unavailable},
		"a full logical partition":        {answered(403, "1014"), domain.TooLarge},
		"too late":                        {fmt.Errorf("reading: %w", context.DeadlineExceeded), domain.Unavailable},
		"a cancelled request":             {context.Canceled, domain.Unavailable},
		"a batch with a missing item":     {&batchError{0, 404, ""}, domain.NotFound},
		"a batch with a failed condition": {&batchError{3, 412, ""}, domain.Conflict},
		"a batch for a full partition":    {&batchError{1, 403, "1014"}, domain.TooLarge},
		"something else":                  {errors.New("?"), domain.Internal},
		"an error of domain":              {domain.ErrUsernameTaken("ada"), domain.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			if got := domain.KindOf(Translate(c.err)); got != c.want {
				t.Errorf("%v is %s, want %s", c.err, got, c.want)
			}
		})
	}
	if Translate(nil) != nil {
		t.Error("Translate(nil) is not nil")
	}
	text := Translate(answered(429, "3200")).Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "PUT /dbs/d: 429") || !strings.Contains(text, "a1") {
		t.Errorf("the text for the log is %q", text)
	}
}

func TestErrorOfTheNetworkDoesNotNameItems(t *testing.T) {
	for name, path := range map[string]string{
		"username":          "/dbs/d/colls/users/docs/ada",
		"preview secret":    "/dbs/d/colls/secrets/docs/ada?x=ada",
		"an escaped id":     "/dbs/d/colls/users/docs/%61da%2Fada",
		"an invalid escape": "/dbs/d/colls/users/docs/ada%",
	} {
		t.Run(name, func(t *testing.T) {
			cause := &url.Error{Op: "Get", URL: "https://account.example" + path, Err: errors.New("connection refused")}
			err := Translate(fmt.Errorf("reading: %w", cause))
			if text := err.Error(); strings.Contains(text, "ada") || !strings.Contains(text, "Get") ||
				!strings.Contains(text, "connection refused") {
				t.Errorf("the text for the log is %q", text)
			}
			if !errors.Is(err, cause) {
				t.Error("the error does not wrap its cause")
			}
		})
	}
	err := &callError{&url.Error{Op: "Put", URL: "https://account.example/dbs/d/colls/users/docs/ada", Err: io.EOF}}
	if err.Error() != "cosmos: Put account.example/dbs/d/colls/users/docs/…: EOF" {
		t.Errorf("the text for the log is %q", err)
	}
}
