package writing_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/picture"
	"inkfeed/domain/picture/picturetest"
	"inkfeed/web/webtest"
)

// shower shows pictures in a browser.
type shower struct {
	*webtest.Tab
	files [][]byte
}

func newShower(t *testing.T) *shower {
	browser := webtest.Browser(t)
	s := &shower{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err == nil && n < len(s.files) {
			w.Header().Set("Content-Type", "image/unknown") // the bytes decide
			_, _ = w.Write(s.files[n])
		}
	}))
	t.Cleanup(server.Close)
	s.Tab = webtest.NewTab(t, browser, server.URL)
	s.Open("/page")
	return s
}

// shown is what a browser shows of a picture.
type shown struct {
	Width, Height int
	Colours       [][4]int // in the middles of the squares
}

// show returns nil if the browser shows nothing.
func (s *shower) show(file []byte) (picture *shown) {
	s.T.Helper()
	s.files = append(s.files, file)
	var middles [][2]int
	for i := range picturetest.Colours {
		p := picturetest.Middle(i)
		middles = append(middles, [2]int{p.X, p.Y})
	}
	points, _ := json.Marshal(middles)
	s.Eval(fmt.Sprintf(`(() => { window.shown = undefined; const i = new Image()
		i.onerror = () => { window.shown = 'null' }
		i.onload = () => { const c = document.createElement('canvas')
			c.width = i.naturalWidth
			c.height = i.naturalHeight
			const g = c.getContext('2d', { willReadFrequently: true })
			g.drawImage(i, 0, 0)
			window.shown = JSON.stringify({ Width: c.width, Height: c.height,
				Colours: %s.map(p => Array.from(g.getImageData(p[0], p[1], 1, 1).data)) }) }
		i.src = '/%d' })()`, points, len(s.files)-1))
	s.WaitUntil("window.shown")
	if err := json.Unmarshal([]byte(s.Eval("window.shown")), &picture); err != nil {
		s.T.Fatal(err)
	}
	return picture
}

// paint returns the squares as a file that the browser makes, with a canvas of the given space of colours.
func (s *shower) paint(space, kind string, alpha float64) []byte {
	s.T.Helper()
	var squares []string
	for i, c := range picturetest.Colours {
		at := picturetest.Middle(i)
		squares = append(squares, fmt.Sprintf("[%d, %d, 'color(%s %.4f %.4f %.4f)']", at.X-picturetest.Side/2,
			at.Y-picturetest.Side/2, space, float64(c.R)/255, float64(c.G)/255,
			float64(c.B)/255))
	}
	text := s.Eval(fmt.Sprintf(`(() => { const c = document.createElement('canvas')
		c.width = %d
		c.height = %d
		const g = c.getContext('2d', { colorSpace: '%s', willReadFrequently: true })
		g.globalAlpha = %f
		for (const [x, y, colour] of [%s]) { g.fillStyle = colour; g.fillRect(x, y, %d, %[6]d) }
		return c.toDataURL('image/%s', 0.95).split(',')[1] })()`, picturetest.Width, picturetest.Height, space, alpha,
		strings.Join(squares, ","), picturetest.Side, kind))
	file, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		s.T.Fatal(err)
	}
	return file
}

// visible reports whether the browser shows at least one square.
func (p *shown) visible() bool {
	return p != nil && slices.ContainsFunc(p.Colours, func(c [4]int) bool { return c[3] > 0 })
}

// mostDifference is the largest difference between samples of a colour here and in the browser.
const mostDifference = 2

// muchChanged has the files with colours that are far beyond those of screens, of which one differs by 3: a lossy
// format has rounded it before, and does after its conversion.
var muchChanged = map[string]bool{"JPEG, swapped primaries": true, "WebP, lossy, Display P3": true}

// otherwise has the files that are not shown as in Chromium, with the reasons.
var otherwise = map[string]string{
	"PNG, cICP of PQ":               "a high dynamic range, which the report names",
	"PNG, cICP of HLG":              "a high dynamic range, which the report names",
	"JPEG, arithmetic":              "Firefox and Safari refuse it",
	"JPEG, progressive, 90 percent": "Chromium smooths blocks whose details are missing",
	"JPEG, 70 percent, and an end":  "Chromium shows grey below the rows that are there",
	"JPEG, progressive, 60 percent": "Chromium smooths blocks whose details are missing",
}

func TestPicturesLookAsInChromium(t *testing.T) {
	s := newShower(t)
	maker := picture.NewMaker(nil)
	samples := slices.Concat(picturetest.Coloured(), picturetest.Rare())
	lossy := s.paint("srgb", "webp", 1)
	for name, file := range map[string][]byte{
		"WebP, lossy":                 lossy,
		"WebP, lossy, half clear":     s.paint("srgb", "webp", 0.5),
		"WebP, lossy, Display P3":     s.paint("display-p3", "webp", 1),
		"WebP, trailing bytes":        append(slices.Clone(lossy), "\x00some bytes"...),
		"PNG of a Display P3 canvas":  s.paint("display-p3", "png", 1),
		"JPEG of a Display P3 canvas": s.paint("display-p3", "jpeg", 1),
	} {
		samples = append(samples, picturetest.Sample{Name: name, File: file})
	}
	for _, sample := range samples {
		t.Run(sample.Name, func(t *testing.T) {
			want := s.show(sample.File)
			made, err := maker.Make(t.Context(), "u", sample.File)
			if why := otherwise[sample.Name]; why != "" {
				t.Skip(why)
			}
			if !want.visible() {
				return
			}
			if err != nil {
				t.Fatalf("Chromium shows the picture, but it is refused: %v", err)
			}
			got := s.show(made.Files[len(made.Files)-1].Content)
			if got.Width != want.Width || got.Height > want.Height {
				t.Errorf("%dx%d pixels, in Chromium %dx%d", got.Width, got.Height, want.Width, want.Height)
			}
			most := mostDifference
			if muchChanged[sample.Name] {
				most++
			}
			for i, c := range want.Colours {
				for k, v := range c {
					if d := v - got.Colours[i][k]; c[3] > 0 && max(d, -d) > most {
						t.Errorf("square %d is %v, in Chromium %v", i, got.Colours[i], c)
						break
					}
				}
			}
		})
	}
}
