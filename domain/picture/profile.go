package picture

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zlib"
)

// curve converts a sample, from 0 to 1, to linear light.
type curve func(float64) float64

func gamma(g float64) curve { return func(v float64) float64 { return math.Pow(v, g) } }

// parametric is the function of an ICC profile with seven parameters: ICC.1:2022, table 68.
func parametric(g, a, b, c, d, e, f float64) curve {
	return func(v float64) float64 {
		if v < d {
			return c*v + f
		}
		return math.Pow(a*v+b, g) + e
	}
}

var (
	srgbCurve = parametric(2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045, 0, 0)
	// television is the curve of screens for the numbers of cameras' curves, as browsers use it: ITU-R BT.1886.
	television = gamma(2.4)
)

// maxProfile is the maximum number of bytes of a profile that are read. Profiles of a matrix and curves are smaller.
const maxProfile = 256 << 10

// space is the kind of colours that a picture has in its file, as ICC profiles call it.
type space string

const (
	spaceRGB  space = "RGB "
	spaceGrey space = "GRAY"
	spaceCMYK space = "CMYK"
)

// readProfile reads an ICC profile. Like browsers, it ignores a profile that is damaged or for other colours. Unknown
// reports that the profile's colours are in tables, which are not read.
func readProfile(profile []byte, of space) (c *colours, unknown bool) {
	if len(profile) < 132 || string(profile[36:40]) != "acsp" {
		return nil, false
	}
	in := space(profile[16:20])
	if in != of && (of != spaceGrey || in != spaceRGB) {
		return nil, false
	}
	tags := make(map[string][]byte)
	entries := profile[132:]
	for range min(binary.BigEndian.Uint32(profile[128:]), 100) {
		if len(entries) < 12 {
			break
		}
		at, size := uint64(binary.BigEndian.Uint32(entries[4:])), uint64(binary.BigEndian.Uint32(entries[8:]))
		if at+size <= uint64(len(profile)) {
			tags[string(entries[:4])] = profile[at : at+size]
		}
		entries = entries[12:]
	}
	if in == spaceGrey {
		if f := readCurve(tags["kTRC"]); f != nil {
			return newColours([3]curve{f, f, f}, fromD50.inverse()), false
		}
		return nil, tags["A2B0"] != nil
	}
	var m matrix
	var curves [3]curve
	for i, name := range []string{"r", "g", "b"} {
		xyz := tags[name+"XYZ"]
		curves[i] = readCurve(tags[name+"TRC"])
		if len(xyz) < 20 || string(xyz[:4]) != "XYZ " || curves[i] == nil {
			return nil, tags["A2B0"] != nil || in == spaceCMYK
		}
		for j := range m {
			m[j][i] = fixed(xyz[8+4*j:])
		}
	}
	return newColours(curves, m), false
}

// fixed returns a signed number with 16 fractional bits.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// readCurve reads a tone curve. It returns nil if the curve is damaged.
func readCurve(tag []byte) curve {
	if len(tag) < 12 {
		return nil
	}
	body := tag[12:]
	switch string(tag[:4]) {
	case "curv":
		n := uint64(binary.BigEndian.Uint32(tag[8:]))
		switch {
		case n == 0:
			return gamma(1)
		case 2*n > uint64(len(body)):
			return nil
		case n == 1:
			return gamma(float64(binary.BigEndian.Uint16(body)) / 256)
		}
		at := func(i int) float64 { return float64(binary.BigEndian.Uint16(body[2*i:])) / 65535 }
		return func(v float64) float64 {
			i := min(int(v*float64(n-1)), int(n)-2)
			part := v*float64(n-1) - float64(i)
			return at(i)*(1-part) + at(i+1)*part
		}
	case "para":
		var p [7]float64
		kind := binary.BigEndian.Uint16(tag[8:])
		if kind > 4 {
			return nil
		}
		count := [5]int{1, 3, 4, 5, 7}[kind]
		if len(body) < 4*count {
			return nil
		}
		for i := range count {
			p[i] = fixed(body[4*i:])
		}
		switch kind {
		case 0:
			return gamma(p[0])
		case 1:
			return parametric(p[0], p[1], p[2], 0, -p[2]/p[1], 0, 0)
		case 2:
			return parametric(p[0], p[1], p[2], 0, -p[2]/p[1], p[3], p[3])
		}
		return parametric(p[0], p[1], p[2], p[3], p[4], p[5], p[6])
	}
	return nil
}

// iccSegments joins the parts of an ICC profile in a JPEG. Each begins with its number and the number of all parts. It
// returns nil if a part is missing or occurs twice.
func iccSegments(parts [][]byte) (profile []byte) {
	byNumber := make(map[byte][]byte)
	for _, p := range parts {
		if int(p[1]) != len(parts) {
			return nil
		}
		byNumber[p[0]] = p[2:]
	}
	for i := range parts {
		part, ok := byNumber[byte(i+1)]
		if !ok {
			return nil
		}
		profile = append(profile, part[:min(len(part), maxProfile-len(profile))]...)
	}
	return profile
}

// inflateProfile reads a profile from a chunk of a PNG: a name, a zero, the method 0, and a zlib stream.
func inflateProfile(chunk []byte) []byte {
	_, data, found := bytes.Cut(chunk, []byte{0})
	if !found || len(data) < 1 {
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(data[1:min(len(data), maxProfile)]))
	if err != nil {
		return nil
	}
	profile, _ := io.ReadAll(io.LimitReader(z, maxProfile))
	return profile
}

// cicpPrimaries are the chromaticities of the numbers in ITU-T H.273, table 2.
var cicpPrimaries = map[byte]chromaticities{
	1:  {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06},
	5:  {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06},
	6:  {0.3127, 0.3290, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07},
	9:  {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046},
	11: {0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06},
	12: {0.3127, 0.3290, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06},
}

// cicpCurves are the functions of the numbers in ITU-T H.273, table 3. Those for a high dynamic range are missing.
var cicpCurves = map[byte]curve{1: television, 4: gamma(2.2), 5: gamma(2.8), 6: television, 8: gamma(1),
	13: srgbCurve, 14: television, 15: television}

// readColours returns the colours that the chunks of a PNG describe. The first known one counts, in this order: cICP,
// iCCP, sRGB, gAMA with cHRM. Like in browsers, a usual gAMA alone means sRGB.
func (p pngFile) readColours() (c *colours, unknown bool) {
	const undefined = 2
	if b := p.chunk["cICP"]; len(b) == 4 && b[0] != undefined && b[1] != undefined {
		primaries, f := cicpPrimaries[b[0]], cicpCurves[b[1]]
		if f == nil || primaries == (chromaticities{}) || b[2] != 0 || b[3] != 1 {
			return nil, true
		}
		return newColours([3]curve{f, f, f}, primaries.matrix()), false
	}
	of := spaceRGB
	if p.channels < 3 && !p.paletted {
		of = spaceGrey
	}
	if icc := p.chunk["iCCP"]; icc != nil {
		return readProfile(inflateProfile(icc), of)
	}
	gama, chrm := p.chunk["gAMA"], p.chunk["cHRM"]
	if p.chunk["sRGB"] != nil || len(gama) != 4 || binary.BigEndian.Uint32(gama) == 0 {
		return nil, false
	}
	const usual = 45455
	g := binary.BigEndian.Uint32(gama)
	var points chromaticities
	for i := 0; len(chrm) == 8*4 && i < 8; i++ {
		points[i] = float64(binary.BigEndian.Uint32(chrm[4*i:])) / 100_000
	}
	f, m := gamma(100_000/float64(g)), points.matrix()
	if !m.finite() {
		if m = fromD50.inverse(); g == usual {
			return nil, false
		}
	}
	return newColours([3]curve{f, f, f}, m), false
}
