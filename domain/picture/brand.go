package picture

import (
	"bytes"
	"context"
	"errors"
	"image"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
)

// Limits of the site's pictures.
const (
	MinLogo    = 48      // pixels of both sides
	MaxWide    = 8       // a logo is at most so many times as wide as high
	MaxTall    = 2       // a logo is at most so many times as high as wide
	brandWidth = 1024    // pixels of a stored picture
	brandSide  = 512     // pixels of a stored picture's height, and of an icon
	maxBrand   = 450_000 // bytes of a stored picture: three of them and the settings fit into one transaction
)

// Brand is a logo or an icon of the site in the form in which it is stored. Its header sizes and icons are drawn from
// it when they are needed: see DrawBrand.
type Brand struct {
	Content       []byte // a PNG or JPEG
	Width, Height int
	Tone          siteinfo.Tone
}

// MakeLogo makes the site's logo from a file. For an unsuitable file the error is Invalid, about the field "file"; it
// wraps ErrFormat if the format is not supported.
func (m *Maker) MakeLogo(ctx context.Context, file []byte) (Brand, error) {
	return m.makeBrand(ctx, file, func(u *upright) error {
		width, height := u.size()
		switch {
		case width < MinLogo || height < MinLogo:
			return invalid("This picture is {width} pixels wide and {height} high. "+
				"Choose one of at least {least} by {least} pixels.", "width", width, "height", height, "least", MinLogo)
		case width > MaxWide*height:
			return invalid("This picture is too wide for the header. "+
				"A logo can be at most {most} times as wide as it is high.", "most", MaxWide)
		case height > MaxTall*width:
			return invalid("This picture is too tall for the header. "+
				"A logo can be at most {most} times as high as it is wide.", "most", MaxTall)
		}
		return nil
	})
}

// MakeIcon makes the site's icon from a file, which must be square. It fails like MakeLogo.
func (m *Maker) MakeIcon(ctx context.Context, file []byte) (Brand, error) {
	return m.makeBrand(ctx, file, func(u *upright) error {
		width, height := u.size()
		switch side := min(width, height); {
		case 10*max(width, height) > 11*side:
			return invalid("This picture is {width} pixels wide and {height} high. Crop it to a square first.",
				"width", width, "height", height)
		case side < domain.MinSiteIcon:
			return invalid("This picture is {width} pixels wide and {height} high. "+
				"Choose one of at least {least} by {least} pixels.", "width", width, "height", height,
				"least", domain.MinSiteIcon)
		}
		u.square()
		return nil
	})
}

func (m *Maker) makeBrand(ctx context.Context, file []byte, check func(*upright) error) (brand Brand, err error) {
	if err := checkBrandFormat(file); err != nil {
		return Brand{}, err
	}
	_, err = m.make(ctx, "", file, func(u *upright) (Picture, error) {
		err := check(u)
		if err == nil {
			brand, err = u.keepBrand()
		}
		return Picture{}, err
	})
	return brand, err
}

// checkBrandFormat refuses files that are no still picture of pixels.
func checkBrandFormat(file []byte) error {
	kind, known := kindOf(file)
	switch {
	case isSVG(file):
		return formatError(locale.M("An SVG can't be turned into the icons that browsers and phones need. "+
			"Save it as a PNG of at least {size} pixels and choose that.", "size", brandSide))
	case !known:
		err := unknownFormat(file)
		if errors.Is(err, ErrFormat) && (len(file) < 12 || string(file[4:8]) != "ftyp") {
			err = formatError(locale.M("That file isn't a picture. Choose a JPEG, PNG, GIF or WebP."))
		}
		return err
	case kind == kindWebP && readWebP(file).animated, kind == kindPNG && isAnimatedPNG(file):
		return errAnimated()
	case kind == kindGIF:
		if frames, err := countFrames(file); err == nil && frames.count > 1 {
			return errAnimated()
		}
	}
	return nil
}

func errAnimated() error {
	return invalid("This picture is animated. Choose a still picture, so that the header stays calm.")
}

// isAnimatedPNG reports whether a PNG announces an animation before its data.
func isAnimatedPNG(file []byte) bool {
	header, _, _ := bytes.Cut(file, []byte("IDAT"))
	return bytes.Contains(header, []byte("acTL"))
}

// keepBrand encodes the picture. It makes it smaller until its file is small enough.
func (u *upright) keepBrand() (Brand, error) {
	width, height := u.size()
	width, height = fit(width, height, brandWidth, brandSide)
	full := u.turned(width, height)
	tone := toneOf(full)
	for {
		content, err := u.format().encode(u.work, full, fullQuality)
		if err != nil {
			return Brand{}, err
		}
		if len(content) <= maxBrand {
			return Brand{content, width, height, tone}, nil
		}
		width, height = max(1, width*3/4), max(1, height*3/4)
		full = scale(full, full.Bounds(), width, height)
	}
}

// fit returns a size with the same proportions that is at most as wide and as high.
func fit(width, height, widest, highest int) (int, int) {
	if width > widest {
		width, height = widest, max(1, (height*widest+width/2)/width)
	}
	if height > highest {
		width, height = max(1, (width*highest+height/2)/height), highest
	}
	return width, height
}

// Shares of a transparent picture's visible area, in percent, and the brightness of its pixels, from 0 to 255.
const (
	toneShare = 15 // so much dark area makes a picture hard to recognise on a dark background
	darkest   = 70
	lightest  = 200
)

// toneOf returns on which backgrounds a picture can be seen.
func toneOf(src image.Image) siteinfo.Tone {
	if o, ok := src.(interface{ Opaque() bool }); ok && o.Opaque() {
		return siteinfo.AnyTone
	}
	var visible, dark, light uint64
	for y := src.Bounds().Min.Y; y < src.Bounds().Max.Y; y++ {
		for x := src.Bounds().Min.X; x < src.Bounds().Max.X; x++ {
			r, g, b, a := src.At(x, y).RGBA()
			if a == 0 {
				continue
			}
			visible += uint64(a)
			switch brightness := (299*r + 587*g + 114*b) / 1000 * 255 / a; {
			case brightness < darkest:
				dark += uint64(a)
			case brightness > lightest:
				light += uint64(a)
			}
		}
	}
	switch {
	case 100*dark > toneShare*visible && dark >= light:
		return siteinfo.DarkTone
	case 100*light > toneShare*visible:
		return siteinfo.LightTone
	}
	return siteinfo.AnyTone
}
