package response

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultStrictTransport is valid for one year. It excludes subdomains, which other people may run.
const DefaultStrictTransport = "max-age=31536000"

// preloadTime is the minimum max-age for browsers' preload lists, in seconds.
const preloadTime = 31536000

// ParseStrictTransport checks a value for the header Strict-Transport-Security, such as
// "max-age=63072000; includeSubDomains; preload", and returns it in canonical form. The text "off"
// returns "", which sends no header. Browsers then keep what they have stored; only max-age=0
// deletes it.
func ParseStrictTransport(text string) (string, error) {
	if strings.TrimSpace(text) == "off" {
		return "", nil
	}
	age, subdomains, preload := -1, false, false
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "max-age":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil || n < 0 {
				return "", fmt.Errorf("max-age is not a number of seconds: %q", value)
			}
			age = int(n)
		case "includesubdomains":
			subdomains = true
		case "preload":
			preload = true
		default:
			return "", fmt.Errorf("%q is none of max-age=SECONDS, includeSubDomains and preload",
				strings.TrimSpace(part))
		}
	}
	if age < 0 {
		return "", fmt.Errorf("%q has no max-age=SECONDS", text)
	}
	if preload && (!subdomains || age < preloadTime) {
		return "", fmt.Errorf("preload needs includeSubDomains and a max-age of %d at least", preloadTime)
	}
	header := fmt.Sprint("max-age=", age)
	if subdomains {
		header += "; includeSubDomains"
	}
	if preload {
		header += "; preload"
	}
	return header, nil
}
