package embed

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// maxAddress is the maximum length of an address that is recognised, in bytes.
const maxAddress = 1000

// Find recognises the address of an embed.
func Find(address string) (Embed, bool) {
	if len(address) > maxAddress {
		return Embed{}, false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.User != nil || u.Port() != "" {
		return Embed{}, false
	}
	host := strings.ToLower(u.Host)
	if find, known := providers[strings.TrimPrefix(host, "www.")]; known {
		return find(u)
	}
	host, err = idna.Lookup.ToASCII(host)
	if _, notIP := netip.ParseAddr(host); err != nil || notIP == nil || !nameOfHost.MatchString(host) {
		return Embed{}, false
	}
	return ofAnyHost(u, "https://"+host)
}

// providers are the functions that recognise addresses, by hosts without "www.".
var providers = map[string]func(*url.URL) (Embed, bool){
	"youtube.com": youTube, "m.youtube.com": youTube, "music.youtube.com": youTube, "youtu.be": youTube,
	"youtube-nocookie.com": youTube, "vimeo.com": vimeo, "player.vimeo.com": vimeo, "bsky.app": bluesky,
	"open.spotify.com": spotify, "soundcloud.com": soundCloud, "m.soundcloud.com": soundCloud,
	"openstreetmap.org": openStreetMap, "gist.github.com": gist, "codeberg.org": codeberg,
}

var (
	nameOfHost      = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
	videoOfYouTube  = regexp.MustCompile(`^/(?:(?:shorts|live|embed|v)/)?([\w-]{11})/?$`)
	videoOfVimeo    = regexp.MustCompile(`^/(?:video/|channels/[\w-]+/)?(\d{1,20})(?:/([0-9a-f]{6,20}))?/?$`)
	postOfBluesky   = regexp.MustCompile(`^/profile/([A-Za-z0-9.:-]{3,253})/post/([a-z0-9]{1,20})/?$`)
	itemOfSpotify   = regexp.MustCompile(`^/(?:intl-\w+/)?(track|album|playlist|artist|episode|show)/(\w{22})/?$`)
	soundsOf        = regexp.MustCompile(`^/([\w-]+)/(sets/[\w-]+|[\w-]+)/?$`)
	codeOfGist      = regexp.MustCompile(`^/([\w-]{1,39})/([0-9a-f]{20,32})/?$`)
	codeOfCodeberg  = regexp.MustCompile(`^/([\w.-]+)/([\w.-]+)(?:/?$|/(.+)$)`)
	viewOfMap       = regexp.MustCompile(`^map=(\d{1,2})/(-?\d{1,2}(?:\.\d{1,8})?)/(-?\d{1,3}(?:\.\d{1,8})?)(?:&|$)`)
	postOfMastodon  = regexp.MustCompile(`^/@(\w[\w.-]{0,63})/(\d{10,25})/?$`)
	videoOfPeerTube = regexp.MustCompile(`^/(?:w|videos/watch)/([0-9A-Za-z]{20,24}|[0-9a-f-]{36})/?$`)
)

// parts returns the groups of an expression that matches the path of an address, as many as n.
func parts(of *regexp.Regexp, u *url.URL, n int) ([]string, bool) {
	found := of.FindStringSubmatch(u.Path)
	if found == nil {
		return make([]string, n), false
	}
	return found[1:], true
}

// described returns an address with the address to describe as its parameter.
func described(endpoint, address string) string {
	return endpoint + url.Values{"format": {"json"}, "url": {address}}.Encode()
}

func youTube(u *url.URL) (Embed, bool) {
	id := parameter(u, "v")
	if u.Path != "/watch" {
		found, _ := parts(videoOfYouTube, u, 1)
		id = found[0]
	}
	if !videoOfYouTube.MatchString("/" + id) {
		return Embed{}, false
	}
	e := Embed{Provider: "YouTube", Kind: Video, Referrer: true, Address: "https://www.youtube.com/watch?v=" + id,
		Frame: "https://www.youtube-nocookie.com/embed/" + id}
	e.About = described("https://www.youtube.com/oembed?", e.Address)
	start := parameter(u, "t") + parameter(u, "start")
	if _, err := strconv.Atoi(start); err == nil {
		start += "s"
	}
	if at, err := time.ParseDuration(start); err == nil && at >= time.Second {
		begin := strconv.Itoa(int(at.Seconds()))
		e.Address, e.Frame = e.Address+"&t="+begin, e.Frame+"?start="+begin
	}
	return e, true
}

// parameter returns a parameter of a query.
func parameter(u *url.URL, name string) string { return u.Query().Get(name) }

func vimeo(u *url.URL) (Embed, bool) {
	found, ok := parts(videoOfVimeo, u, 2)
	id, secret := found[0], found[1]
	e := Embed{Provider: "Vimeo", Kind: Video, Address: "https://vimeo.com/" + id,
		Frame: "https://player.vimeo.com/video/" + id + "?dnt=1"}
	if secret == "" && strings.Trim(parameter(u, "h"), "0123456789abcdef") == "" {
		secret = parameter(u, "h")
	}
	if secret != "" {
		e.Address, e.Frame = e.Address+"/"+secret, e.Frame+"&h="+secret
	}
	e.About = described("https://vimeo.com/api/oembed.json?", e.Address)
	return e, ok
}

func bluesky(u *url.URL) (Embed, bool) {
	found, ok := parts(postOfBluesky, u, 2)
	e := Embed{Provider: "Bluesky", Kind: Post, Address: "https://bsky.app/profile/" + found[0] + "/post/" + found[1],
		Frame: "https://embed.bsky.app/embed/" + found[0] + "/app.bsky.feed.post/" + found[1]}
	e.About = described("https://embed.bsky.app/oembed?", e.Address)
	return e, ok
}

func spotify(u *url.URL) (Embed, bool) {
	found, ok := parts(itemOfSpotify, u, 2)
	item := found[0] + "/" + found[1]
	e := Embed{Provider: "Spotify", Kind: Audio, Address: "https://open.spotify.com/" + item,
		Frame: "https://open.spotify.com/embed/" + item}
	e.About = described("https://open.spotify.com/oembed?", e.Address)
	return e, ok
}

func soundCloud(u *url.URL) (Embed, bool) {
	found, ok := parts(soundsOf, u, 2)
	e := Embed{Provider: "SoundCloud", Kind: Audio, Address: "https://soundcloud.com/" + found[0] + "/" + found[1]}
	e.Frame = "https://w.soundcloud.com/player/?" + url.Values{"url": {e.Address}}.Encode()
	e.About = described("https://soundcloud.com/oembed?", e.Address)
	return e, ok
}

// openStreetMap recognises a view of the map. The frame shows about as much of it, and a marker if there is one.
func openStreetMap(u *url.URL) (Embed, bool) {
	view := viewOfMap.FindStringSubmatch(u.Fragment)
	if view == nil {
		return Embed{}, false
	}
	zoom, _ := strconv.Atoi(view[1])
	lat, _ := strconv.ParseFloat(view[2], 64)
	lon, _ := strconv.ParseFloat(view[3], 64)
	if zoom > 20 || math.Abs(lat) > 85 || math.Abs(lon) > 180 {
		return Embed{}, false
	}
	wide := 360 / math.Exp2(float64(zoom)) // half of the width in degrees, at 512 pixels
	high := wide * math.Cos(lat*math.Pi/180) * 0.75
	query := url.Values{"layer": {"mapnik"}, "bbox": {fmt.Sprintf("%.6f,%.6f,%.6f,%.6f",
		max(-180, lon-wide), max(-85, lat-high), min(180, lon+wide), min(85, lat+high))}}
	address := "https://www.openstreetmap.org/"
	markedLat, errLat := strconv.ParseFloat(parameter(u, "mlat"), 64)
	markedLon, errLon := strconv.ParseFloat(parameter(u, "mlon"), 64)
	if errLat == nil && errLon == nil && math.Abs(markedLat) <= 90 && math.Abs(markedLon) <= 180 {
		query.Set("marker", fmt.Sprintf("%.6f,%.6f", markedLat, markedLon))
		address += fmt.Sprintf("?mlat=%.6f&mlon=%.6f", markedLat, markedLon)
	}
	return Embed{Provider: "OpenStreetMap", Kind: Map, Title: fmt.Sprintf("%.4f, %.4f", lat, lon),
		Address: address + fmt.Sprintf("#map=%d/%s/%s", zoom, view[2], view[3]),
		Frame:   "https://www.openstreetmap.org/export/embed.html?" + query.Encode()}, true
}

func gist(u *url.URL) (Embed, bool) {
	found, ok := parts(codeOfGist, u, 2)
	e := Embed{Provider: "GitHub Gist", Kind: Code, Author: found[0],
		Address: "https://gist.github.com/" + found[0] + "/" + found[1]}
	e.About, e.Title = e.Address+".json", found[0]+"/"+found[1][:min(8, len(found[1]))]
	return e, ok
}

// codeberg recognises a repository, or a page of it.
func codeberg(u *url.URL) (Embed, bool) {
	found, ok := parts(codeOfCodeberg, u, 3)
	switch found[0] {
	case "explore", "user", "org", "api", "repo", "assets":
		return Embed{}, false
	}
	repository := found[0] + "/" + found[1]
	e := Embed{Provider: "Codeberg", Kind: Code, Title: repository, Address: "https://codeberg.org/" + repository,
		About: "https://codeberg.org/api/v1/repos/" + repository}
	if found[2] != "" {
		e.Address += "/" + (&url.URL{Path: found[2]}).EscapedPath()
		e.Title, e.Author = path.Base(found[2]), repository
	}
	return e, ok
}

// ofAnyHost recognises the forms of addresses of programs that run at many hosts.
func ofAnyHost(u *url.URL, site string) (Embed, bool) {
	if found, ok := parts(postOfMastodon, u, 2); ok {
		e := Embed{Provider: "Mastodon", Kind: Post, AnyHost: true, Address: site + "/@" + found[0] + "/" + found[1]}
		e.About = described(site+"/api/oembed?", e.Address)
		return e, true
	}
	if found, ok := parts(videoOfPeerTube, u, 1); ok {
		e := Embed{Provider: "PeerTube", Kind: Video, AnyHost: true, Address: site + "/w/" + found[0]}
		e.About = described(site+"/services/oembed?", e.Address)
		return e, true
	}
	return Embed{}, false
}
