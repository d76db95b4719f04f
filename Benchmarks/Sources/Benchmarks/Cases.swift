// The cases that are more than one operation repeated: a whole question, many links, memory.

import BenchmarkSupport
import BluetoothAir
import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import Foundation
import ITCB
import NIOCore
import NIOEmbedded

enum Cases {
    // MARK: A question

    /// A ball and an asker on their own air, from the start to the answer.
    static func question() {
        let air = PrivateAir(settings: .instant, seed: 1)
        let asker = Asker()
        let ball = air.makeAdapter(configuration: .init(deviceName: "Ball")).run {
            ITCB_SDK.createInstance(isCentral: false)
        }
        var peripheral = ball
        peripheral?.localName = "Ball"
        let central = air.makeAdapter(configuration: .init(deviceName: "Asker")).run {
            ITCB_SDK.createInstance(isCentral: true)
        }
        _ = central?.addObserver(asker)
        // The SDK's managers call back on the main queue.
        let limit = Date(timeIntervalSinceNow: 20)
        while !asker.isAnswered, Date() < limit {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
        }
        expect(asker.isAnswered, "the ball did not answer within 20 s")
    }

    private final class Asker: ITCB_Observer_Central_Protocol {
        var uuid = UUID()
        var isAnswered = false

        func deviceDiscovered(_ device: ITCB_Device_Peripheral_Protocol) { device.sendQuestion("Will it be fast?") }
        func questionAskedOfDevice(_ device: ITCB_Device_Peripheral_Protocol) {}
        func questionAnsweredByDevice(_ device: ITCB_Device_Peripheral_Protocol) { self.isAnswered = true }
        func errorOccurred(_ error: ITCB_Errors, sdk: ITCB_SDK_Protocol) {}
    }

    // MARK: Many links

    /// One central with `links` peripherals in virtual time; each peripheral notifies every 100 ms for one second.
    ///
    /// Every 30 ms would be more than one radio can carry: a hundred connection events do not fit into 30 ms.
    static func virtualSecond(links: Int) -> TimeMeasurement {
        let loop = EmbeddedEventLoop()
        let star = Star(links: links, loop: loop, model: .realistic)
        let measurement = Meter.measure(count: 1) {
            for _ in 0..<10 {
                star.notifyFromAll()
                loop.advanceTime(by: .milliseconds(100))
            }
        }
        expect(star.received >= 9 * links, "only \(star.received) of \(10 * links) notifications came")
        return measurement
    }

    static func memory(links: Int) -> String {
        let loop = EmbeddedEventLoop()
        let star = Star(links: links, loop: loop, model: .instant)
        star.notifyFromAll()
        loop.advanceTime(by: .milliseconds(100))
        return withExtendedLifetime(star) { String(format: "%.1f MB", Meter.residentMemory()) }
    }

    /// The figure of a fresh process of this program.
    static func memoryInProcess(links: Int) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--memory", String(links)]
        let pipe = Pipe()
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return "could not be started" }
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
