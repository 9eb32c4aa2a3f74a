package remote

import (
	"strings"
	"unicode"

	"github.com/mileusna/useragent"

	"inkfeed/domain/plaintext"
)

const (
	maxUserAgent = 500 // maximum length of the header that is parsed, in bytes
	maxDevice    = 60
)

// Device describes the browser and the operating system in a User-Agent header, such as "Firefox on
// Windows". Only the user sees the description, and no decision depends on it.
func Device(userAgent string) string {
	if len(userAgent) > maxUserAgent {
		userAgent = userAgent[:maxUserAgent]
	}
	ua := useragent.Parse(strings.Map(keepPrintable, strings.ToValidUTF8(userAgent, "")))
	browser, system := ua.Name, ua.OS
	if ua.Bot || plaintext.Characters(browser) > maxDevice/2 {
		browser = ""
	}
	if plaintext.Characters(system) > maxDevice/2 {
		system = ""
	}
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "":
		return "Unknown browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// keepPrintable drops characters that could start a new line in a mail or reverse the text after
// them.
func keepPrintable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}
