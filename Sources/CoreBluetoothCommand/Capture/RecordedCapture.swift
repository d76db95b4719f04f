// A capture on disk as a recorded peripheral.

import BluetoothHost
import BluetoothTransport
import CommandLineTool
import Foundation
import NIOCore

extension RecordedPeripheral {
    /// Reads a capture of any format that `CaptureReader` knows.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - device: The address or the name of the peripheral, if there are several.
    /// - Throws: ``Failure`` with the line that says why there is none.
    static func read(_ path: String, device: String?) throws -> RecordedPeripheral {
        let data = try InputFile.read(path)
        do {
            let content = try CaptureReader.content(of: ByteBuffer(bytes: data))
            if let cut = content.cut { Console.warn("\(path): \(cut)") }
            return try RecordedConversations(
                content.records.lazy.map {
                    ($0.packet, $0.direction == .toController ? .toController : .toHost, $0.time.microsecondsSince1970)
                }
            ).peripheral(device)
        } catch let error as CaptureError {
            throw Failure("\(path): \(error)")
        } catch let error as RecordingError {
            throw Failure("\(path): \(error)")
        }
    }
}
