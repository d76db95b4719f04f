// Octets as text with a short name, for scripts and tests with hundreds of them.

import Fixtures
import NIOCore

/// The octets of text such as `"0A 03 00"`.
func hex(_ text: String) -> ByteBuffer { ByteBuffer(hex: text) }

/// The text of octets in the form of ``hex(_:)-(String)``.
func hex(_ bytes: ByteBuffer) -> String { bytes.hex }

/// Two hexadecimal digits.
func octet(_ number: Int) -> String { UInt8(number).hexDigits }
