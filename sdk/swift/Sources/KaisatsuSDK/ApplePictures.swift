// What follows needs Apple's frameworks. It was written against their documentation and has never been compiled or run
// by this project's tests, which run on Linux.

#if canImport(CoreGraphics) && canImport(ImageIO)
  import CoreGraphics
  import Foundation
  import ImageIO

  extension Picture {
    /// A picture in memory, compressed as JPEG; nil when it cannot be compressed. Unverified: see README.md.
    public init?(cgImage: CGImage, quality: Double = 0.9) {
      let data = NSMutableData()
      guard let target = CGImageDestinationCreateWithData(data as CFMutableData, "public.jpeg" as CFString, 1, nil)
      else { return nil }
      let properties = [kCGImageDestinationLossyCompressionQuality: quality] as CFDictionary
      CGImageDestinationAddImage(target, cgImage, properties)
      guard CGImageDestinationFinalize(target) else { return nil }
      self.init(data as Data, name: "picture.jpg")
    }

    /// A picture file made smaller on the device, so that its longer side has at most `longestSide` pixels; its
    /// orientation is applied. Nil when it is no picture. Unverified: see README.md.
    public init?(downscaling file: URL, longestSide: Int, quality: Double = 0.9) {
      let options =
        [
          kCGImageSourceCreateThumbnailFromImageAlways: true,
          kCGImageSourceCreateThumbnailWithTransform: true,
          kCGImageSourceThumbnailMaxPixelSize: longestSide,
        ] as CFDictionary
      guard let source = CGImageSourceCreateWithURL(file as CFURL, nil),
        let smaller = CGImageSourceCreateThumbnailAtIndex(source, 0, options)
      else { return nil }
      self.init(cgImage: smaller, quality: quality)
    }
  }
#endif

#if canImport(UIKit)
  import UIKit

  extension Picture {
    /// A picture of UIKit's, compressed as JPEG; nil when it cannot be compressed. Unverified: see README.md.
    public init?(uiImage: UIImage, quality: Double = 0.9) {
      guard let data = uiImage.jpegData(compressionQuality: quality) else { return nil }
      self.init(data, name: "picture.jpg")
    }
  }
#endif
