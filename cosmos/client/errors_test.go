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

// answered is the error the SDK makes of an answer.
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
		"an item that is not there":       {answered(404, ""), domain.NotFound},
		"a replica that is behind":        {answered(404, "1002"), domain.Unavailable},
		"a container that is not there":   {answered(404, "1003"), domain.Unavailable},
		"an id that is taken":             {answered(409, ""), domain.Conflict},
		"a condition that does not hold":  {answered(412, ""), domain.Conflict},
		"an item too large":               {answered(413, ""), domain.TooLarge},
		"throttled":                       {answered(429, "3200"), domain.Unavailable},
		"a server that is down":           {answered(503, ""), domain.Unavailable},
		"a request we got wrong":          {answered(400, ""), domain.Internal},
		"a key that is wrong":             {answered(401, ""), domain.Unavailable},
		"a firewall in between":           {answered(403, ""), domain.Unavailable},
		"too late":                        {fmt.Errorf("reading: %w", context.DeadlineExceeded), domain.Unavailable},
		"nobody waits any more":           {context.Canceled, domain.Unavailable},
		"a batch without its item":        {&batchError{0, 404}, domain.NotFound},
		"a batch whose condition fails":   {&batchError{3, 412}, domain.Conflict},
		"something else":                  {errors.New("?"), domain.Internal},
		"a domain error is left as it is": {domain.ErrUsernameTaken("ada"), domain.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			if got := domain.KindOf(Translate(c.err)); got != c.want {
				t.Errorf("%v is %s, want %s", c.err, got, c.want)
			}
		})
	}
	if Translate(nil) != nil {
		t.Error("no error is an error")
	}
	text := Translate(answered(429, "3200")).Error()
	if strings.Contains(text, "\n") || !strings.Contains(text, "PUT /dbs/d: 429") || !strings.Contains(text, "a1") {
		t.Errorf("the log would say %q", text)
	}
}
