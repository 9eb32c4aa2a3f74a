package picture

import "inkfeed/domain"

// MaxWork is the most work that a picture may take, from its file to its last variant, in nanoseconds of CPU time.
const MaxWork = 1_000_000_000

// Weights of the steps that the decoders and encoders repeat, in nanoseconds of CPU time. They were measured with files
// that were made to be slow (BenchmarkWorst), and are rounded up. A decoder cannot be stopped, so the number of its
// steps must follow from the sizes, counts and lengths that inspect reads.
const (
	byteOfFile = 1 // finding segments, chunks and blocks

	jpegByte      = 28  // a byte of the file: decoding Huffman codes
	jpegBlockScan = 40  // a visit of a scan to a block
	jpegRefined   = 1   // a coefficient in the band of a refinement scan
	jpegBlock     = 240 // the inverse transform of a block
	jpegInk       = 20  // a pixel of a picture with four components
	jpegPartByte  = 30  // a byte of a picture that is decoded in parts
	jpegPartBlock = 30  // a visit of a scan to a block of such a picture
	jpegPartPixel = 6   // the same for a pixel of a component

	pngByte       = 45  // a byte of compressed data
	pngRaw        = 3   // a byte of the pixels before compression: inflating, checksum, undoing the filter
	pngPixel      = 4   // conversion to eight bits
	pngDeepPixel  = 9   // the same from sixteen bits
	pngInterlaced = 4   // moving a pixel to its place after a pass
	pngPerChunk   = 100 // a chunk, however small

	gifCanvas   = 20     // a pixel of the canvas onto which a smaller first frame is painted
	gifPixel    = 11     // a pixel of a frame: decoding and, in an animation, encoding again
	gifPerFrame = 60_000 // a frame, however small: tables of the decoder, the encoder and the colours
	gifByte     = 10

	vp8Pixel  = 22
	vp8Byte   = 30
	vp8lPixel = 35
	vp8lByte  = 30

	turnSample   = 10 // a sample of the picture in its new size
	scaleSample  = 1  // a sample of the source
	scaleColumn  = 2  // a sample of a source row after scaling to its new width
	convertPixel = 6  // a pixel converted to RGBA from another type
	convertYCC   = 35 // the same from a lossy picture with alpha

	convertColour = 25 // a pixel in its new size, if the file describes its colours

	// A pixel of the picture or of a variant; the scaling of variants is included.
	encodeJPEG  = 30
	encodeGrey  = 20 // PNG
	encodeRGB   = 40
	encodeAlpha = 50
	encodeGIF   = 65 // as PNG
	encodeWebP  = 80 // as PNG, from a lossless picture
	encodeYCC   = 95 // as PNG, from a lossy picture with alpha
)

// work estimates the work of the picture, in nanoseconds of CPU time.
func (s *seen) work() int64 {
	pixels, size := int64(s.Width)*int64(s.Height), int64(len(s.file))
	work := byteOfFile * size
	switch s.kind {
	case kindJPEG:
		work += s.jpeg.work(size)
		if s.parts {
			work += jpegPartByte*size + jpegPartBlock*s.jpeg.blockScans +
				jpegPartPixel*pixels*int64(len(s.jpeg.components))
		}
		if len(s.jpeg.components) == 4 {
			work += jpegInk * pixels
		}
		if len(s.jpeg.components) == 4 || s.parts {
			return work + s.output(4*pixels, encodeJPEG)
		}
		return work + s.output(64*s.jpeg.blocks(), encodeJPEG)
	case kindPNG:
		work += pngByte*s.png.data + pngRaw*s.png.raw(s.Width, s.Height) + pngPerChunk*s.png.chunks
		each := int64(pngPixel)
		if s.png.depth == 16 {
			each = pngDeepPixel
		}
		if s.png.interlaced {
			each += pngInterlaced
		}
		work += each * pixels
		switch {
		case s.png.alpha || s.png.depth == 16 && s.png.channels != 1:
			return work + convertPixel*pixels + s.output(4*pixels, encodeAlpha)
		case s.png.channels == 1 && !s.png.paletted:
			return work + s.output(pixels, encodeGrey)
		case s.png.paletted:
			return work + convertPixel*pixels + s.output(4*pixels, encodeRGB)
		}
		return work + s.output(4*pixels, encodeRGB)
	case kindGIF:
		work += gifPixel*s.frames.pixels + gifPerFrame*int64(s.frames.count) + gifByte*size
		if s.frames.first < pixels {
			work += gifCanvas * pixels
		}
		if s.frames.count > 1 {
			return work
		}
		return work + convertPixel*pixels + s.output(4*pixels, encodeGIF)
	}
	if s.webp.lossy {
		work += vp8Pixel*pixels + vp8Byte*s.webp.lossyBytes
	}
	if s.webp.lossless {
		work += vp8lPixel*pixels + vp8lByte*s.webp.losslessBytes
	}
	if s.webp.lossy && !s.webp.alpha {
		return work + s.output(2*pixels, encodeJPEG)
	}
	if s.webp.lossy {
		return work + convertYCC*pixels + s.output(4*pixels, encodeYCC)
	}
	return work + convertPixel*pixels + s.output(4*pixels, encodeWebP)
}

// work estimates the work of decoding a JPEG of the given size.
func (j *jpegFile) work(size int64) int64 {
	transforms := j.blocks()
	if !j.progressive {
		transforms = j.blockScans
	}
	return jpegByte*size + jpegBlockScan*j.blockScans + jpegRefined*j.refined + jpegBlock*transforms
}

// output estimates the work of scaling a still picture with the given number of samples, and of encoding it and its
// variants.
func (s *seen) output(samples, encode int64) int64 {
	width, height := s.turn.size(s.Width, s.Height)
	w, h := scaledSize(width, height, domain.MaxImageWidth)
	name := domain.ImageName{Width: w, Height: h}
	out := int64(w) * int64(h)
	for _, v := range name.Variants() {
		out += int64(v) * int64(name.VariantHeight(v))
	}
	work := scaleSample*samples + scaleColumn*samples*int64(w)/int64(width) + encode*out
	if s.colours != nil {
		work += convertColour * int64(w) * int64(h)
	}
	if s.turn != upside {
		work += turnSample * (samples * int64(w) / int64(width) * int64(h) / int64(height))
	}
	return work
}
