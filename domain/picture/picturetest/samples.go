package picturetest

import (
	"bytes"
	"image"
	"image/gif"
	"slices"
)

// still returns the squares as a GIF.
func still() []byte {
	var b bytes.Buffer
	img := image.NewPaletted(image.Rect(0, 0, Width, Height), nil)
	for i, c := range Colours {
		img.Palette = append(img.Palette, c)
		for y := range Side {
			for x := range Side {
				img.SetColorIndex(i%Columns*Side+x, i/Columns*Side+y, uint8(i))
			}
		}
	}
	if err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img}, Delay: []int{0}}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// moving returns a GIF of which the first frame is the squares.
func moving() []byte {
	g, err := gif.DecodeAll(bytes.NewReader(still()))
	if err != nil {
		panic(err)
	}
	g.Image, g.Delay = append(g.Image, g.Image[0]), []int{6000, 6000}
	g.Disposal = []byte{0, 0}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func deep() image.Image {
	img := image.NewNRGBA64(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			img.Set(x, y, Colours[y/Side*Columns+x/Side])
		}
	}
	return img
}

func grey() image.Image {
	img := image.NewGray(image.Rect(0, 0, Width, Height))
	for y := range Height {
		for x := range Width {
			img.Set(x, y, Colours[y/Side*Columns+x/Side])
		}
	}
	return img
}

func paletted() image.Image {
	g, err := gif.DecodeAll(bytes.NewReader(still()))
	if err != nil {
		panic(err)
	}
	return g.Image[0]
}

// halfClear returns the squares with half of their opacity.
func halfClear() image.Image {
	img := Grid()
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 128
	}
	return img
}

var usual = []byte{0x22, 0x11, 0x11}

// Coloured returns files with colour profiles.
func Coloured() []Sample {
	g := Grid()
	p3 := RGBProfile(DisplayP3, SRGBCurve())
	jpegWith := func(profile []byte, segments int) []byte {
		return JPEG{Sampling: usual, Segments: [][]byte{ICC(profile, segments)}}.File()
	}
	reversed := ICC(p3, 2)
	half := len(reversed) / 2
	return []Sample{
		{"JPEG without a profile", JPEG{Sampling: usual}.File()},
		{"JPEG, sRGB", jpegWith(RGBProfile(SRGB, SRGBCurve()), 1)},
		{"JPEG, Display P3", jpegWith(p3, 1)},
		{"JPEG, Display P3 in four segments", jpegWith(p3, 4)},
		{"JPEG, Display P3 in two segments, the second first", JPEG{Sampling: usual,
			Segments: [][]byte{slices.Concat(reversed[half:], reversed[:half])}}.File()},
		{"JPEG, Adobe RGB", jpegWith(RGBProfile(AdobeRGB, Gamma(2.2)), 1)},
		{"JPEG, swapped primaries", jpegWith(RGBProfile(Swapped, Gamma(2.2)), 1)},
		{"JPEG, a table of 256", jpegWith(RGBProfile(DisplayP3, Table(256)), 1)},
		{"JPEG, a table of 1024", jpegWith(RGBProfile(SRGB, Table(1024)), 1)},
		{"JPEG, linear", jpegWith(RGBProfile(SRGB, []byte("curv\x00\x00\x00\x00\x00\x00\x00\x00")), 1)},
		{"JPEG, Rec. 2020", jpegWith(RGBProfile(Rec2020, Gamma(2.4)), 1)},
		{"JPEG, a segment is missing", JPEG{Sampling: usual, Segments: [][]byte{reversed[:half]}}.File()},
		{"JPEG, a grey profile for colours", jpegWith(GreyProfile(Gamma(1.0)), 1)},
		{"JPEG, grey", JPEG{Sampling: []byte{0x11}, Segments: [][]byte{ICC(GreyProfile(Gamma(1.5)), 1)}}.File()},
		{"JPEG, a profile of colours for grey", JPEG{Sampling: []byte{0x11},
			Segments: [][]byte{ICC(RGBProfile(DisplayP3, Gamma(1.5)), 1)}}.File()},
		{"JPEG, RGB", JPEG{Sampling: []byte{0x11, 0x11, 0x11}, IDs: "RGB", Segments: [][]byte{ICC(p3, 1)}}.File()},
		{"JPEG, CMYK with a profile of RGB", JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}, Adobe: "\x00",
			Inverted: true, Segments: [][]byte{ICC(p3, 1)}}.File()},
		{"PNG, Display P3", PNG(g, ICCP(p3))},
		{"PNG, Display P3, and sRGB", PNG(g, ICCP(p3), Chunk("sRGB", []byte{0}))},
		{"PNG, sRGB, and Display P3", PNG(g, Chunk("sRGB", []byte{0}), ICCP(p3))},
		{"PNG, sRGB, and a gamma", PNG(g, Chunk("sRGB", []byte{0}), GAMA(1))},
		{"PNG, swapped primaries", PNG(g, ICCP(RGBProfile(Swapped, SRGBCurve())))},
		{"PNG, Display P3, half clear", PNG(halfClear(), ICCP(p3))},
		{"PNG, Display P3, 16 bits", PNG(deep(), ICCP(p3))},
		{"PNG, Display P3, palette", PNG(paletted(), ICCP(p3))},
		{"PNG, grey", PNG(grey(), ICCP(GreyProfile(Gamma(1.5))))},
		{"PNG, a profile of colours for grey", PNG(grey(), ICCP(RGBProfile(DisplayP3, Gamma(1.5))))},
		{"PNG, gamma of 1", PNG(g, GAMA(1))},
		{"PNG, gamma of 1, 16 bits", PNG(deep(), GAMA(1))},
		{"PNG, gamma of 1/1.8", PNG(g, GAMA(1/1.8))},
		{"PNG, gamma of 1/2.2", PNG(g, GAMA(1/2.2))},
		{"PNG, gamma of 1/1.8, grey", PNG(grey(), GAMA(1/1.8))},
		{"PNG, gamma of 1/1.8, palette", PNG(paletted(), GAMA(1/1.8))},
		{"PNG, gamma and primaries", PNG(g, GAMA(1/2.2), CHRM(AdobeRGB))},
		{"PNG, gamma and primaries of sRGB", PNG(g, GAMA(1/2.2), CHRM(SRGB))},
		{"PNG, primaries without a gamma", PNG(g, CHRM(Swapped))},
		{"PNG, gamma of 0", PNG(g, GAMA(0))},
		{"PNG, gamma of 20000", PNG(g, GAMA(20000))},
		{"PNG, primaries on a line", PNG(g, GAMA(1/2.2), CHRM(Primaries{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}))},
		{"PNG, cICP of Display P3", PNG(g, CICP(12, 13))},
		{"PNG, cICP of Display P3, before a profile", PNG(g, CICP(12, 13), ICCP(RGBProfile(Swapped, SRGBCurve())))},
		{"PNG, cICP of Rec. 2020", PNG(g, CICP(9, 14))},
		{"PNG, cICP of Rec. 709", PNG(g, CICP(1, 1))},
		{"PNG, cICP, linear", PNG(g, CICP(1, 8))},
		{"PNG, cICP of gamma 2.2", PNG(g, CICP(1, 4))},
		{"PNG, cICP of gamma 2.8", PNG(g, CICP(5, 5))},
		{"PNG, cICP of PQ", PNG(g, CICP(9, 16))},
		{"PNG, cICP of HLG", PNG(g, CICP(9, 18))},
		{"PNG, cICP, unknown", PNG(g, CICP(2, 2))},
		{"PNG, a table for RGB", PNG(g, ICCP(TableProfile("RGB ")))},
		{"PNG, a damaged profile", PNG(g, ICCP(p3[:200]))},
		{"PNG, a profile that is not compressed", PNG(g, Chunk("iCCP", append([]byte("p\x00\x00"), p3...)))},
	}
}

// Rare returns files in rare forms, and files that are damaged.
func Rare() []Sample {
	photo := JPEG{Sampling: usual, JFIF: true}.File()
	progressive := JPEG{Sampling: usual, Progressive: true}.File()
	apart := JPEG{Sampling: usual, Apart: true}.File()
	restarts := JPEG{Sampling: usual, Restart: 3}.File()
	png, one, two := PNG(Grid()), still(), moving()
	text := Chunk("tEXt", []byte("Comment\x00hello"))
	badData := slices.Clone(png)
	from, to := chunkAt(png, "IDAT")
	badAdler := slices.Concat(png[:from], Chunk("IDAT", append(slices.Clone(png[from+8:to-8]), 1, 2, 3, 4)), png[to:])
	badData[to-2] ^= 0xff
	noise := []byte("\x00\xffsome bytes\n<html>")
	sampled := func(hv ...byte) []byte { return JPEG{Sampling: hv}.File() }
	cut := func(file []byte, percent int) []byte { return slices.Clone(file[:len(file)*percent/100]) }
	small := slices.Clone(one)
	small[6], small[8] = Width/2, Height/2
	large := slices.Clone(one)
	large[7] = 1
	moved := slices.Clone(one)
	moved[14], moved[16] = 8, 8 // the position in the descriptor after the header
	tiny := slices.Clone(two)
	tiny[6], tiny[8] = Width/2, Height/2
	return []Sample{
		{"PNG", png},
		{"PNG, trailing bytes", append(slices.Clone(png), noise...)},
		{"PNG, wrong checksum of a text", withWrongSum(PNG(Grid(), text), "tEXt")},
		{"PNG, wrong checksum of an unknown chunk", withWrongSum(PNG(Grid(), Chunk("zzZz", noise)), "zzZz")},
		{"PNG, wrong checksum of a gamma", withWrongSum(PNG(Grid(), GAMA(1)), "gAMA")},
		{"PNG, wrong checksum of a palette", withWrongSum(PNG(paletted()), "PLTE")},
		{"PNG, wrong checksum of the header", withWrongSum(png, "IHDR")},
		{"PNG, wrong checksum of the data", withWrongSum(png, "IDAT")},
		{"PNG, wrong checksum of the end", withWrongSum(png, "IEND")},
		{"PNG, wrong checksum of the pixels", badAdler},
		{"PNG, an unknown critical chunk", PNG(Grid(), Chunk("ZZZZ", nil))},
		{"PNG, a second header", PNG(Grid(), png[8:33])},
		{"PNG, a palette for true colour", PNG(Grid(), Chunk("PLTE", []byte{1, 2, 3}))},
		{"PNG, a palette of wrong length", PNG(Grid(), Chunk("PLTE", []byte{1, 2, 3, 4}))},
		{"PNG, transparency for alpha", PNG(halfClear(), Chunk("tRNS", []byte{1, 2}))},
		{"PNG, a text between the data", slices.Concat(png[:from], Chunk("IDAT", png[from+8:from+40]), text,
			Chunk("IDAT", png[from+40:to-4]), png[to:])},
		{"PNG without its end", png[:to]},
		{"PNG without its last byte", png[:len(png)-1]},
		{"PNG, 90 percent", cut(png, 90)},
		{"PNG, half", cut(png, 50)},
		{"GIF", one},
		{"GIF, trailing bytes", append(slices.Clone(one), noise...)},
		{"GIF without its end", one[:len(one)-1]},
		{"GIF, garbage for its end", append(slices.Clone(one[:len(one)-1]), noise...)},
		{"GIF, a frame beyond its screen", small},
		{"GIF, a screen larger than its frame", large},
		{"GIF, a frame partly beyond its screen", moved},
		{"GIF, half", cut(one, 50)},
		{"GIF, moving", two},
		{"GIF, moving, frames beyond their screen", tiny},
		{"GIF, moving, without its end", two[:len(two)-1]},
		{"GIF, moving, 90 percent", cut(two, 90)},
		{"GIF, moving, 60 percent", cut(two, 60)},
		{"GIF, moving, 25 percent", cut(two, 25)},
		{"JPEG", photo},
		{"JPEG, trailing bytes", append(slices.Clone(photo), noise...)},
		{"JPEG without its end", photo[:len(photo)-2]},
		{"JPEG without half of its end", photo[:len(photo)-1]},
		{"JPEG, 90 percent", cut(photo, 90)},
		{"JPEG, 70 percent", cut(photo, 70)},
		{"JPEG, 70 percent, and an end", append(cut(photo, 70), 0xff, 0xd9)},
		{"JPEG without data", photo[:bytes.Index(photo, []byte{0xff, 0xda})+14]},
		{"JPEG, header only", photo[:bytes.Index(photo, []byte{0xff, 0xda})]},
		{"JPEG, progressive", progressive},
		{"JPEG, progressive without its end", progressive[:len(progressive)-2]},
		{"JPEG, progressive, 90 percent", cut(progressive, 90)},
		{"JPEG, progressive, 60 percent", cut(progressive, 60)},
		{"JPEG, scans of single components", apart},
		{"JPEG, scans of single components, 85 percent", cut(apart, 85)},
		{"JPEG, restarts", restarts},
		{"JPEG, restarts, 80 percent", cut(restarts, 80)},
		{"JPEG, 4:4:4", sampled(0x11, 0x11, 0x11)},
		{"JPEG, 4:4:4 as 2x2", sampled(0x22, 0x22, 0x22)},
		{"JPEG, 4:2:2", sampled(0x21, 0x11, 0x11)},
		{"JPEG, 4:4:0", sampled(0x12, 0x11, 0x11)},
		{"JPEG, 4:1:1", sampled(0x41, 0x11, 0x11)},
		{"JPEG, 4:1:0", sampled(0x42, 0x11, 0x11)},
		{"JPEG, 1x4", sampled(0x14, 0x11, 0x11)},
		{"JPEG, 2x4", sampled(0x24, 0x11, 0x11)},
		{"JPEG, 4x2 and 2x1", sampled(0x42, 0x21, 0x21)},
		{"JPEG, 2x2, 2x1, 2x1", sampled(0x22, 0x21, 0x21)},
		{"JPEG, 2x2, 1x2, 1x2", sampled(0x22, 0x12, 0x12)},
		{"JPEG, 2x1, 1x2, 1x2", sampled(0x21, 0x12, 0x12)},
		{"JPEG, 2x2, 1x2, 2x1", sampled(0x22, 0x12, 0x21)},
		{"JPEG, 1x1, 2x2, 2x2", sampled(0x11, 0x22, 0x22)},
		{"JPEG, 2x2, 1x1, 2x2", sampled(0x22, 0x11, 0x22)},
		{"JPEG, 3x1", sampled(0x31, 0x11, 0x11)},
		{"JPEG, 3x3, 1x1, 1x1", sampled(0x33, 0x11, 0x11)},
		{"JPEG, 3x1, 2x1, 1x1", sampled(0x31, 0x21, 0x11)},
		{"JPEG, 1x4, progressive", JPEG{Sampling: []byte{0x14, 0x11, 0x11}, Progressive: true}.File()},
		{"JPEG, 1x4, scans of single components", JPEG{Sampling: []byte{0x14, 0x11, 0x11}, Apart: true}.File()},
		{"JPEG, 1x4, restarts", JPEG{Sampling: []byte{0x14, 0x11, 0x11}, Restart: 2}.File()},
		{"JPEG, 1x4, 80 percent", cut(sampled(0x14, 0x11, 0x11), 80)},
		{"JPEG, grey, 2x2", sampled(0x22)},
		{"JPEG, grey, 80 percent", cut(sampled(0x11), 80)},
		{"JPEG, two components", sampled(0x11, 0x11)},
		{"JPEG, RGB", JPEG{Sampling: []byte{0x11, 0x11, 0x11}, IDs: "RGB"}.File()},
		{"JPEG, RGB, 2x2", JPEG{Sampling: []byte{0x22, 0x11, 0x11}, IDs: "RGB"}.File()},
		{"JPEG, RGB by Adobe", JPEG{Sampling: []byte{0x11, 0x11, 0x11}, Adobe: "\x00"}.File()},
		{"JPEG, CMYK by Adobe", JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}, Adobe: "\x00", Inverted: true}.File()},
		{"JPEG, YCCK by Adobe", JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}, Adobe: "\x02", Inverted: true}.File()},
		{"JPEG, YCCK by Adobe, 2x2", JPEG{Sampling: []byte{0x22, 0x11, 0x11, 0x22}, Adobe: "\x02",
			Inverted: true}.File()},
		{"JPEG, YCCK by Adobe, 2x1", JPEG{Sampling: []byte{0x21, 0x11, 0x11, 0x21}, Adobe: "\x02",
			Inverted: true}.File()},
		{"JPEG, CMYK without Adobe's mark", JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}, Inverted: true}.File()},
		{"JPEG, CMYK without Adobe's mark, 2x2", JPEG{Sampling: []byte{0x22, 0x11, 0x11, 0x22}, Inverted: true}.File()},
		{"JPEG, ink without Adobe's mark", JPEG{Sampling: []byte{0x11, 0x11, 0x11, 0x11}}.File()},
		{"JPEG, 12 bits", JPEG{Sampling: usual, Precision: 12, Marker: 0xc1}.File()},
		{"JPEG, extended", JPEG{Sampling: usual, Marker: 0xc1}.File()},
		{"JPEG, arithmetic", JPEG{Sampling: usual, Marker: 0xc9}.File()},
		{"JPEG, lossless", JPEG{Sampling: usual, Marker: 0xc3}.File()},
		{"JPEG, zeros before the first segment", slices.Concat(photo[:2], []byte{0, 0, 0}, photo[2:])},
		{"JPEG, an unknown segment", slices.Concat(photo[:2], Segment(0xf5, noise), photo[2:])},
	}
}
