package site

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/remote"
)

// ParseURL parses the public address of a site: http or https, a host and an optional port. The
// result has no trailing slash.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || !hostPattern.MatchString(u.Host):
		return "", errors.New("expected an address such as https://blog.example.org")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", errors.New("expected an address without path, query, fragment and user")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// hostPattern matches a host name or IP address with an optional port.
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// BaseURL returns the site's address without a trailing slash: the configured one, or else the
// address that the request was sent to.
func (s *Site) BaseURL(c echo.Context) string {
	r := c.Request()
	switch {
	case s.URL != "":
		return s.URL
	case !hostPattern.MatchString(r.Host):
		return "http://localhost"
	case remote.TLS(r):
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// AbsoluteURL returns a path of the site as an address, percent-encoded in ASCII.
func AbsoluteURL(base, path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return base + path
	}
	return base + u.String()
}
