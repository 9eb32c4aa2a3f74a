package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/picture"
)

const user = "u.abcdefghijkmnpqrstuvwxyz23"

// quarters returns a picture whose quarters are red, green, blue and white, clockwise from the top left, which shows
// its orientation.
func quarters(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, quarterColours[2*(2*y/height)+2*x/width])
		}
	}
	return img
}

var quarterColours = [...]color.Color{red, green, white, blue}

var (
	red   = color.RGBA{220, 20, 20, 255}
	green = color.RGBA{20, 200, 20, 255}
	blue  = color.RGBA{20, 20, 220, 255}
	white = color.RGBA{250, 250, 250, 255}
)

func asJPEG(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 95}) })
}

func asPNG(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// exif returns an Exif block with an orientation, the camera's name and its position.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	header := map[binary.AppendByteOrder]string{binary.LittleEndian: "II*\x00", binary.BigEndian: "MM\x00*"}[order]
	b := order.AppendUint32([]byte(header), 8)
	b = order.AppendUint16(b, 3)
	entry := func(tag, kind uint16, count uint32, value []byte) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), count)
		b = append(b, append(value, 0, 0, 0, 0)[:4]...)
	}
	entry(0x010f, 2, 4, []byte("SPY\x00"))
	entry(0x0112, 3, 1, order.AppendUint16(nil, orientation))
	entry(0x8825, 4, 1, order.AppendUint32(nil, 50))
	b = order.AppendUint32(b, 0)
	b = order.AppendUint16(b, 1) // the GPS directory
	entry(0x0001, 2, 2, []byte("N\x00"))
	return append(b, "51.4779N 0.0015W"...)
}

func withJPEGSegment(file []byte, marker byte, body string) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return slices.Concat(file[:2], segment, []byte(body), file[2:])
}

func withPNGChunk(file []byte, name, body string) []byte {
	const afterHeader = 8 + 25
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(chunk, name+body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return slices.Concat(file[:afterHeader], chunk, file[afterHeader:])
}

func mustMake(t *testing.T, file []byte) picture.Picture {
	t.Helper()
	p, err := picture.NewMaker(nil).Make(t.Context(), user, file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decode(t *testing.T, file []byte) (image.Image, string) {
	t.Helper()
	img, format, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return img, format
}

// wantQuarters checks the colours in the middles of the quarters, clockwise from the top left.
func wantQuarters(t *testing.T, img image.Image, want ...color.Color) {
	t.Helper()
	size := img.Bounds().Size()
	for i, at := range []image.Point{{1, 1}, {3, 1}, {3, 3}, {1, 3}} {
		got := img.At(img.Bounds().Min.X+at.X*size.X/4, img.Bounds().Min.Y+at.Y*size.Y/4)
		if distance(got, want[i]) > 24 {
			t.Errorf("quarter %d is %v, want %v", i+1, got, want[i])
		}
	}
}

func distance(a, b color.Color) int {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	abs := func(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }
	return max(abs(x.R, y.R), abs(x.G, y.G), abs(x.B, y.B), abs(x.A, y.A))
}

func TestStoredFormatFollowsFromTheFile(t *testing.T) {
	img := quarters(60, 40)
	paletted := image.NewPaletted(img.Bounds(), color.Palette{red, green, blue, white})
	transparent := image.NewNRGBA(img.Bounds())
	deep := image.NewNRGBA64(img.Bounds())
	grey := image.NewGray(img.Bounds())
	for y := range 40 {
		for x := range 60 {
			paletted.Set(x, y, img.At(x, y))
			transparent.SetNRGBA(x, y, color.NRGBA{220, 20, 20, uint8(4 * x)})
			deep.Set(x, y, img.At(x, y))
			grey.SetGray(x, y, color.Gray{uint8(4 * x)})
		}
	}
	for _, c := range []struct {
		name   string
		file   []byte
		format string
		model  color.Model
	}{
		{"a JPEG stays a JPEG", asJPEG(t, img), "jpeg", color.YCbCrModel},
		{"a grey JPEG stays grey", asJPEG(t, grey), "jpeg", color.GrayModel},
		{"a PNG stays a PNG", asPNG(t, img), "png", color.RGBAModel},
		{"a PNG keeps its transparency", asPNG(t, transparent), "png", color.NRGBAModel},
		{"a PNG with sixteen bits gets eight", asPNG(t, deep), "png", color.RGBAModel},
		{"a PNG with few colours stays small", asPNG(t, paletted), "png", nil},
		{"a still GIF becomes a PNG", encoded(t,
			func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) }), "png", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := mustMake(t, c.file)
			got, format := decode(t, p.Files[len(p.Files)-1].Content)
			if format != c.format || got.Bounds().Size() != image.Pt(60, 40) || p.Name.Width != 60 ||
				p.Name.Height != 40 {
				t.Errorf("%s of %v, %s", format, got.Bounds(), p.Name)
			}
			if _, isPaletted := got.ColorModel().(color.Palette); c.model == nil && !isPaletted || c.model != nil &&
				got.ColorModel() != c.model {
				t.Errorf("%T", got)
			}
			if c.model == color.NRGBAModel && distance(got.At(30, 20), color.NRGBA{220, 20, 20, 120}) > 2 {
				t.Errorf("pixel %v", got.At(30, 20))
			}
		})
	}
}

func TestPictureIsTurnedUpright(t *testing.T) {
	upright := []color.Color{red, green, blue, white}
	for orientation, asFiled := range map[uint16][]color.Color{ // the colours of the quarters in the file
		1: {red, green, blue, white},
		2: {green, red, white, blue},
		3: {blue, white, red, green},
		4: {white, blue, green, red},
		5: {red, white, blue, green},
		6: {green, blue, white, red},
		7: {blue, green, red, white},
		8: {white, red, green, blue},
	} {
		width, height := 64, 32
		if orientation >= 5 {
			width, height = 32, 64
		}
		img := image.NewRGBA(image.Rect(0, 0, width, height))
		for y := range height {
			for x := range width {
				quarter := [2][2]int{{0, 1}, {3, 2}}[2*y/height][2*x/width]
				img.Set(x, y, asFiled[quarter])
			}
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			block := string(exif(order, orientation))
			for format, file := range map[string][]byte{
				"jpeg": withJPEGSegment(asJPEG(t, img), 0xe1, "Exif\x00\x00"+block),
				"png":  withPNGChunk(asPNG(t, img), "eXIf", block),
			} {
				p := mustMake(t, file)
				got, gotFormat := decode(t, p.Files[0].Content)
				if got.Bounds().Size() != image.Pt(64, 32) || gotFormat != format {
					t.Errorf("orientation %d in a %s: got a %s of %v", orientation, format, gotFormat, got.Bounds())
				}
				wantQuarters(t, got, upright...)
			}
		}
	}
	t.Run("unless the orientation cannot be read", func(t *testing.T) {
		whole := exif(binary.LittleEndian, 6)
		img := asJPEG(t, quarters(64, 32))
		for n := range 50 {
			p := mustMake(t, withJPEGSegment(img, 0xe1, "Exif\x00\x00"+string(whole[:n])))
			if p.Name.Width != 64 && n < 34 {
				t.Errorf("%d bytes of the block turn the picture", n)
			}
		}
		if p := mustMake(t, withJPEGSegment(img, 0xe1, "Exif\x00\x00"+string(exif(binary.LittleEndian,
			9)))); p.Name.Width != 64 {
			t.Error("the invalid orientation 9 turns the picture")
		}
	})
}

func TestMetadataIsRemoved(t *testing.T) {
	const script = "<script>alert(document.domain)</script>"
	img := quarters(600, 400)
	block := string(exif(binary.BigEndian, 1))
	dirtyJPEG := asJPEG(t, img)
	for marker, body := range map[byte]string{0xe1: "Exif\x00\x00" + block, 0xe0: "JFIF " + script, 0xfe: script,
		0xed: "Photoshop 3.0\x00" + script, 0xe2: "ICC_PROFILE\x00\x01\x01" + script} {
		dirtyJPEG = withJPEGSegment(dirtyJPEG, marker, body)
	}
	dirtyPNG := asPNG(t, img)
	for name, body := range map[string]string{"eXIf": block, "tEXt": "Comment\x00" + script, "zzZz": script,
		"iTXt": "XML:com.adobe.xmp\x00\x00\x00\x00\x00" + script} {
		dirtyPNG = withPNGChunk(dirtyPNG, name, body)
	}
	moving := encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, twoFrames()) })
	comment := append([]byte{0x21, 0xfe, byte(len(script))}, script+"\x00"...)
	at := 13 + len(moving[13:]) - len(afterTable(moving))
	dirtyGIF := slices.Concat(moving[:at], comment, moving[at:])
	for name, file := range map[string][]byte{"JPEG": dirtyJPEG, "PNG": dirtyPNG, "GIF": dirtyGIF} {
		t.Run(name, func(t *testing.T) {
			file = append(file, "\n<html>"+script...)
			for _, word := range []string{"script"} {
				if !bytes.Contains(file, []byte(word)) {
					t.Fatalf("the test's file does not contain %q", word)
				}
			}
			for _, f := range mustMake(t, file).Files {
				for _, word := range []string{"Exif", "eXIf", "SPY", "51.4779", "script", "html", "ICC_PROFILE",
					"Photoshop", "JFIF ", "Comment", "adobe"} {
					if bytes.Contains(f.Content, []byte(word)) {
						t.Errorf("%s contains %q", f.Name, word)
					}
				}
			}
		})
	}
}

// afterTable returns the part of a GIF after its header and global colour table.
func afterTable(file []byte) []byte {
	if file[10]&0x80 == 0 {
		return file[13:]
	}
	return file[13+3<<(file[10]&7+1):]
}

func twoFrames() *gif.GIF {
	g := &gif.GIF{LoopCount: 3}
	for _, c := range []color.Color{red, blue} {
		frame := image.NewPaletted(image.Rect(0, 0, 700, 30), color.Palette{c, white})
		g.Image, g.Delay = append(g.Image, frame), append(g.Delay, 25)
	}
	return g
}

func TestAnimatedGIF(t *testing.T) {
	file := encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, twoFrames()) })
	t.Run("stays animated", func(t *testing.T) {
		p := mustMake(t, file)
		got, err := gif.DecodeAll(bytes.NewReader(p.Files[0].Content))
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Image) != 2 || got.Delay[1] != 25 || got.LoopCount != 3 || len(p.Files) != 1 || p.Name.Ext != "gif" {
			t.Errorf("%d frames, delays %v, loops %d, %d files, %s", len(got.Image), got.Delay, got.LoopCount,
				len(p.Files), p.Name)
		}
	})
	t.Run("becomes an avatar with its first frame", func(t *testing.T) {
		p, err := picture.NewMaker(nil).MakeAvatar(t.Context(), user, file)
		if err != nil {
			t.Fatal(err)
		}
		got, format := decode(t, p.Files[0].Content)
		if format != "png" || got.Bounds().Size() != image.Pt(30, 30) || distance(got.At(5, 5), red) > 2 {
			t.Errorf("%s of %v", format, got.Bounds())
		}
	})
}

func TestVariantsAreStored(t *testing.T) {
	for name, file := range map[string][]byte{"jpeg": asJPEG(t, quarters(3000, 1500)),
		"png": asPNG(t, quarters(3000, 1500))} {
		t.Run(name, func(t *testing.T) {
			p := mustMake(t, file)
			if p.Name.Width != domain.MaxImageWidth || p.Name.Height != 1280 {
				t.Errorf("%s", p.Name)
			}
			var names []string
			for _, f := range p.Files {
				got, format := decode(t, f.Content)
				config, _, err := image.DecodeConfig(bytes.NewReader(f.Content))
				if err != nil || format != name {
					t.Errorf("%s is a %s, error %v", f.Name, format, err)
				}
				width := p.Name.Width
				for _, w := range p.Name.Variants() {
					if p.Name.Variant(w) == f.Name {
						width = w
					}
				}
				if config.Width != width || config.Height != p.Name.VariantHeight(width) {
					t.Errorf("%s is %dx%d", f.Name, config.Width, config.Height)
				}
				wantQuarters(t, got, red, green, blue, white)
				names = append(names, f.Name)
			}
			slices.Sort(names)
			want := []string{p.Name.String(), p.Name.Variant(240), p.Name.Variant(480), p.Name.Variant(960),
				p.Name.Variant(1600)}
			slices.Sort(want)
			if !slices.Equal(names, want) {
				t.Errorf("files %v, want %v", names, want)
			}
		})
	}
	t.Run("without visible seams between strips", func(t *testing.T) {
		ramp := image.NewGray(image.Rect(0, 0, 1000, 700))
		for i := range ramp.Pix {
			x, y := i%1000, i/1000
			ramp.Pix[i] = uint8((x + y) * 255 / 1700)
		}
		p := mustMake(t, asPNG(t, ramp))
		small, _ := decode(t, p.Files[0].Content)
		if small.ColorModel() != color.GrayModel {
			t.Errorf("a grey picture becomes a %T", small)
		}
		for y := 1; y < small.Bounds().Dy(); y++ {
			for x := 1; x < small.Bounds().Dx(); x++ {
				if d := max(distance(small.At(x, y), small.At(x-1, y)),
					distance(small.At(x, y), small.At(x, y-1))); d > 2 {
					t.Fatalf("a step of %d at %d, %d", d, x, y)
				}
			}
		}
	})
}

func TestThumbnailIsASmallStillPicture(t *testing.T) {
	var moving bytes.Buffer
	if err := gif.EncodeAll(&moving, twoFrames()); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"large": asJPEG(t, quarters(1600, 400)), "animated": moving.Bytes()} {
		p, err := picture.NewMaker(nil).MakeThumbnail(t.Context(), user, file)
		if err != nil || p.Name.Width > picture.MaxThumbnail || p.Name.Ext == domain.ExtGIF {
			t.Errorf("%s: %s, %v", name, p.Name, err)
		}
	}
	drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
	if _, err := picture.NewMaker(nil).MakeThumbnail(t.Context(), user, drawing); !errors.Is(err, picture.ErrFormat) {
		t.Errorf("an SVG: %v", err)
	}
}

func TestAvatarIsASquare(t *testing.T) {
	for _, c := range []struct{ width, height, side, files int }{{900, 600, 384, 3}, {600, 900, 384, 3},
		{150, 100, 100, 2}, {60, 80, 60, 1}} {
		p, err := picture.NewMaker(nil).MakeAvatar(t.Context(), user, asPNG(t, quarters(c.width, c.height)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Name.Width != c.side || p.Name.Height != c.side || len(p.Files) != c.files {
			t.Errorf("%dx%d: %s with %d files", c.width, c.height, p.Name, len(p.Files))
		}
		for _, f := range p.Files {
			img, _ := decode(t, f.Content)
			wantQuarters(t, img, red, green, blue, white) // all quarters have the same size, so the middle was cut out
		}
	}
	t.Run("that is upright", func(t *testing.T) {
		file := withJPEGSegment(asJPEG(t, quarters(500, 300)), 0xe1, "Exif\x00\x00"+string(exif(binary.BigEndian, 6)))
		p, err := picture.NewMaker(nil).MakeAvatar(t.Context(), user, file)
		if err != nil {
			t.Fatal(err)
		}
		img, _ := decode(t, p.Files[0].Content)
		wantQuarters(t, img, white, red, green, blue)
	})
}

func TestNameFollowsFromUserAndFile(t *testing.T) {
	file := asJPEG(t, quarters(1000, 50))
	first, second := mustMake(t, file), mustMake(t, file)
	t.Run("and is the same for the same file", func(t *testing.T) {
		if first.Name != second.Name {
			t.Errorf("%s and %s", first.Name, second.Name)
		}
		for i := range first.Files {
			if !bytes.Equal(first.Files[i].Content, second.Files[i].Content) {
				t.Errorf("%s differs", first.Files[i].Name)
			}
		}
	})
	t.Run("and differs for another user", func(t *testing.T) {
		other, err := picture.NewMaker(nil).Make(t.Context(), "u.other", file)
		if err != nil || other.Name.Hash == first.Name.Hash {
			t.Errorf("%s, error %v", other.Name, err)
		}
	})
	t.Run("and is found for a stored picture", func(t *testing.T) {
		kept := first.Files[len(first.Files)-1].Content
		if name, ok := picture.NameOf(user, kept); !ok || name != first.Name {
			t.Errorf("%s, want %s", name, first.Name)
		}
		if name, _ := picture.NameOf("u.other", kept); name == first.Name {
			t.Error("the picture of one user has a name for another user")
		}
		if _, ok := picture.NameOf(user, []byte("no picture")); ok {
			t.Error("a file that is not a picture has a name")
		}
	})
}

func TestUnsuitableFileIsRejected(t *testing.T) {
	ok := asPNG(t, quarters(8, 8))
	photo := asJPEG(t, quarters(300, 200))
	moving := encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, twoFrames()) })
	bomb := slices.Clone(ok)
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	big := bytes.Clone(photo)
	at := bytes.Index(big, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(big[at+5:], 60_000)
	binary.BigEndian.PutUint16(big[at+7:], 60_000)
	progressive := bytes.Clone(big)
	progressive[at+1] = 0xc2
	binary.BigEndian.PutUint16(progressive[at+5:], 6_000)
	binary.BigEndian.PutUint16(progressive[at+7:], 6_000)
	frame := afterTable(moving)
	frame = frame[bytes.IndexByte(frame, 0x2c) : len(frame)-1]
	crowd := slices.Concat(moving[:len(moving)-1], bytes.Repeat(frame, 6000), []byte{0x3b})
	small := bytes.Clone(frame)
	binary.LittleEndian.PutUint16(small[5:], 1)
	binary.LittleEndian.PutUint16(small[7:], 1)
	smallCrowd := slices.Concat(moving[:len(moving)-1], bytes.Repeat(small, 6000), []byte{0x3b})
	brokenHeader := bytes.Clone(ok)
	brokenHeader[8+8+13] ^= 0xff
	for _, c := range []struct {
		name   string
		file   []byte
		says   string
		format bool // whether the format is not supported
	}{
		{"nothing", nil, "Choose a picture", false},
		{"text", []byte("Hello"), "JPEG, PNG, GIF, WebP or SVG", true},
		{"a web page", []byte("<!DOCTYPE html><script>alert(1)</script>"), "JPEG, PNG, GIF, WebP or SVG", true},
		{"another XML", []byte(`<?xml version="1.0"?><rss/>`), "JPEG, PNG, GIF, WebP or SVG", true},
		{"a photograph in HEIC", []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), "as a JPEG",
			true},
		{"the beginning of a JPEG", photo[:3], "damaged", false},
		{"a JPEG without data", photo[:bytes.Index(photo, []byte{0xff, 0xda})+16], "damaged", false},
		{"half a PNG of few bytes", ok[:len(ok)/2], "damaged", false},
		{"a PNG whose checksum does not match its header", brokenHeader, "damaged", false},
		{"a GIF without data", moving[:len(moving)-1-len(frame)+4], "damaged", false},
		{"a GIF's header", []byte("GIF89a"), "damaged", false},
		{"a WebP's header", []byte("RIFF\x04\x00\x00\x00WEBP"), "damaged", false},
		{"an animated WebP", []byte("RIFF\x14\x00\x00\x00WEBPANIM\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
			"Animated WebP", false},
		{"a small PNG of 3600 megapixels", bomb, "3,600.0 megapixels", false},
		{"a small JPEG of 3600 megapixels", big, "3,600.0 megapixels", false},
		{"a JPEG that takes four times its memory", progressive, "36.0 megapixels", false},
		{"a GIF of very many frames", crowd, "12,002 frames", false},
		{"a GIF of very many small frames", smallCrowd, "12,002 frames. The limit is 5,000", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, make := range map[string]func(context.Context, string, []byte) (picture.Picture, error){
				"picture": picture.NewMaker(nil).Make, "avatar": picture.NewMaker(nil).MakeAvatar} {
				_, err := make(t.Context(), user, c.file)
				e, isDomain := errors.AsType[*domain.Error](err)
				if !isDomain || e.Kind != domain.Invalid || !strings.Contains(e.Fields["file"].String(), c.says) ||
					errors.Is(err, picture.ErrFormat) != c.format {
					t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
				}
			}
		})
	}
}

func TestMakeFailsIfItsTurnComesTooLate(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := picture.NewMaker(nil).Make(ctx, user, asPNG(t, quarters(8, 8)))
	if !domain.Is(err, domain.Unavailable) {
		t.Errorf("error %v, want that too many pictures are being processed", err)
	}
}
