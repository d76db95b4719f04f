// Questions and answers of the Magic 8-Ball SDK, both sides in this process.

import CoreBluetooth
import Foundation
import ITCB

enum Questions {
    /// One question after the other.
    static func run(_ count: Int, _ done: @escaping () -> Void) {
        let air = PrivateAir(settings: .instant, seed: 1)
        let asker = Asker(count, done)
        var ball = air.makeAdapter(configuration: .init(deviceName: "Ball")).run {
            ITCB_SDK.createInstance(isCentral: false)
        }
        ball?.localName = "Ball"
        let central = air.makeAdapter(configuration: .init(deviceName: "Asker")).run {
            ITCB_SDK.createInstance(isCentral: true)
        }
        _ = central?.addObserver(asker)
        Phase.wait(progress: { asker.answers }, until: { asker.answers >= count })
        withExtendedLifetime((ball, central)) {}
    }

    private final class Asker: ITCB_Observer_Central_Protocol {
        var uuid = UUID()
        private let count: Int
        private let done: () -> Void
        private(set) var answers = 0

        init(_ count: Int, _ done: @escaping () -> Void) {
            self.count = count
            self.done = done
        }

        func deviceDiscovered(_ device: ITCB_Device_Peripheral_Protocol) { self.ask(device) }

        private func ask(_ device: ITCB_Device_Peripheral_Protocol) {
            if self.answers < self.count { device.sendQuestion("Is this number \(self.answers)?") }
        }

        func questionAskedOfDevice(_ device: ITCB_Device_Peripheral_Protocol) {}

        func questionAnsweredByDevice(_ device: ITCB_Device_Peripheral_Protocol) {
            self.answers += 1
            self.done()
            // Inside the call the device is still busy with the answer.
            DispatchQueue.main.async { self.ask(device) }
        }

        func errorOccurred(_ error: ITCB_Errors, sdk: ITCB_SDK_Protocol) {
            FileHandle.standardError.write(Data("endurance: \(error)\n".utf8))
        }
    }
}
