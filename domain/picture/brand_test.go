package picture_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math/rand/v2"
	"strconv"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/siteinfo"
)

func TestLogoIsKeptSmall(t *testing.T) {
	m := picture.NewMaker(nil)
	for name, c := range map[string]struct {
		width, height, wantWidth, wantHeight int
	}{
		"a small square stays":    {64, 64, 64, 64},
		"a large square is 512":   {1200, 1200, 512, 512},
		"a wide one is 1024 wide": {4096, 1024, 1024, 256},
		"a tall one is 512 high":  {600, 1200, 256, 512},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := m.MakeLogo(t.Context(), asPNG(t, quarters(c.width, c.height)))
			if err != nil || b.Width != c.wantWidth || b.Height != c.wantHeight || b.Tone != siteinfo.AnyTone {
				t.Errorf("got %d x %d %q, %v", b.Width, b.Height, b.Tone, err)
			}
		})
	}
	t.Run("noise becomes smaller", func(t *testing.T) {
		noise := image.NewNRGBA(image.Rect(0, 0, 1024, 512))
		random := rand.New(rand.NewPCG(1, 2))
		for i := range noise.Pix {
			noise.Pix[i] = byte(random.Uint32())
		}
		b, err := m.MakeLogo(t.Context(), asPNG(t, noise))
		if err != nil || len(b.Content) > 512_000 || b.Width >= 1024 {
			t.Errorf("%d bytes, %d x %d, %v", len(b.Content), b.Width, b.Height, err)
		}
	})
}

func TestUnsuitableLogoIsRefused(t *testing.T) {
	m := picture.NewMaker(nil)
	animation := encoded(t, func(b *bytes.Buffer) error {
		frame := image.NewPaletted(image.Rect(0, 0, 200, 200), color.Palette{red, green})
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{10, 10}})
	})
	still := asPNG(t, quarters(200, 200))
	apng := bytes.Replace(still, []byte("IDAT"), []byte("acTLIDAT"), 1)
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><path d="M0 0h9v9z"/></svg>`)
	for _, c := range []struct {
		name, want string
		file       []byte
		make       func(*picture.Maker, []byte) error
	}{
		{"text", "isn't a picture", []byte("Just a text."), asLogo},
		{"nothing", "Choose a picture", nil, asLogo},
		{"an SVG", "Save it as a PNG", svg, asLogo},
		{"an SVG as icon", "Save it as a PNG", svg, asIcon},
		{"an animated GIF", "animated", animation, asLogo},
		{"an animated PNG", "animated", apng, asLogo},
		{"a pixel", "at least 48 by 48", asPNG(t, quarters(1, 1)), asLogo},
		{"a banner", "too wide", asPNG(t, quarters(2000, 100)), asLogo},
		{"a column", "too tall", asPNG(t, quarters(100, 300)), asLogo},
		{"a damaged file", "damaged", still[:40], asLogo},
		{"an icon that is no square", "Crop it", asPNG(t, quarters(400, 300)), asIcon},
		{"a small icon", "at least 192 by 192", asPNG(t, quarters(100, 100)), asIcon},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.make(m, c.file)
			var e *domain.Error
			if !errors.As(err, &e) || e.Kind != domain.Invalid ||
				!bytes.Contains([]byte(e.Fields["file"].String()), []byte(c.want)) {
				t.Errorf("got %v, want an error about the file with %q", err, c.want)
			}
		})
	}
}

func asLogo(m *picture.Maker, file []byte) error {
	_, err := m.MakeLogo(context.Background(), file)
	return err
}

func asIcon(m *picture.Maker, file []byte) error {
	_, err := m.MakeIcon(context.Background(), file)
	return err
}

// drop is a disc of a colour on transparent.
func drop(side int, c color.NRGBA) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			if dx, dy := 2*x-side, 2*y-side; dx*dx+dy*dy < side*side {
				img.SetNRGBA(x, y, c)
			}
		}
	}
	return img
}

func TestToneTellsTheBackground(t *testing.T) {
	for c, want := range map[color.NRGBA]siteinfo.Tone{
		{20, 20, 30, 255}:    siteinfo.DarkTone,
		{250, 250, 240, 255}: siteinfo.LightTone,
		{200, 90, 40, 255}:   siteinfo.AnyTone,
	} {
		b, err := picture.NewMaker(nil).MakeIcon(t.Context(), asPNG(t, drop(256, c)))
		if err != nil || b.Tone != want {
			t.Errorf("%v has the tone %q, %v; want %q", c, b.Tone, err, want)
		}
	}
}

func TestIconsAreDrawn(t *testing.T) {
	b, err := picture.NewMaker(nil).MakeIcon(t.Context(), asPNG(t, drop(600, color.NRGBA{20, 20, 30, 255})))
	if err != nil {
		t.Fatal(err)
	}
	draw := func(form string) image.Image {
		t.Helper()
		file, err := picture.DrawBrand(b.Content, form)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	for form, side := range map[string]int{"32": 32, "180": 180, "192": 192, "512": 512, "maskable": 512, "logo": 96} {
		if got := draw(form).Bounds().Size(); got != image.Pt(side, side) {
			t.Errorf("the form %s has %v", form, got)
		}
	}
	_, _, _, transparent := draw("192").At(0, 0).RGBA()
	if transparent != 0 {
		t.Error("a corner of the icon is not transparent")
	}
	for _, form := range []string{"180", "maskable"} {
		if _, _, _, a := draw(form).At(0, 0).RGBA(); a != 0xffff {
			t.Errorf("a corner of the form %s is transparent", form)
		}
	}
	maskable := draw("maskable")
	for x := range 512 {
		for y := range 512 {
			dx, dy := 2*x-512, 2*y-512
			r, _, _, _ := maskable.At(x, y).RGBA()
			if outside := dx*dx+dy*dy > 410*410; outside && r < 0xf000 {
				t.Fatalf("the maskable icon has a part at %d, %d, outside of the safe zone", x, y)
			}
		}
	}
}

func TestFaviconHasThreeSizes(t *testing.T) {
	b, err := picture.NewMaker(nil).MakeLogo(t.Context(), asPNG(t, quarters(400, 100)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := picture.DrawICO(b.Content)
	if err != nil || !bytes.HasPrefix(file, []byte{0, 0, 1, 0, 3, 0, 16, 16}) {
		t.Fatalf("% x, %v", file[:min(len(file), 22)], err)
	}
	for i, side := range []int{16, 32, 48} {
		entry := file[6+16*i:]
		size := int(entry[8]) | int(entry[9])<<8 | int(entry[10])<<16
		at := int(entry[12]) | int(entry[13])<<8 | int(entry[14])<<16
		img, err := png.Decode(bytes.NewReader(file[at : at+size]))
		if err != nil || img.Bounds().Dx() != side {
			t.Errorf("picture %s: %v", strconv.Itoa(side), err)
		}
	}
}
