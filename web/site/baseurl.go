package site

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/client"
)

// ParseURL reads the address at which the world finds a site: http or https, a host and,
// perhaps, a port. What it returns has no slash at its end.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || !hostPattern.MatchString(u.Host):
		return "", errors.New("not an address such as https://blog.example.org")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", errors.New("the site is at the root of its host: give no path, query, fragment or user")
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// hostPattern is a name or an address with, perhaps, a port.
var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// BaseURL is the site's address without a slash at the end: what is configured, otherwise what
// the request was sent to.
func (s *Site) BaseURL(c echo.Context) string {
	r := c.Request()
	switch {
	case s.URL != "":
		return s.URL
	case !hostPattern.MatchString(r.Host):
		return "http://localhost"
	case client.TLS(r):
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// AbsoluteURL is a path of the site as an address, in ASCII.
func AbsoluteURL(base, path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return base + path
	}
	return base + u.String()
}
