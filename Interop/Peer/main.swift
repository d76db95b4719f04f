// Our side of the interop scenarios: a Core Bluetooth app of both roles that takes commands on standard
// input and says on standard output what happens, one JSON object a line in both directions. Which adapter it uses, who
// it is and where its packets are captured, the environment says, as for every program on Core Bluetooth.
//
//     {"do": "central"}                         {"event": "central", "state": "poweredOn"}
//     {"do": "scan", "services": ["180A"]}      {"event": "discovered", "peer": "9B7C…", "name": "Ball", "rssi": -45}

import CoreBluetooth
import Foundation

setvbuf(stdout, nil, _IOLBF, 0)

let agent = Agent(CommandLine.arguments.dropFirst(2).first)

// What the environment does not say: InteropPeer [MTU [CAPABILITIES]].
if let mtu = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) {
    var configuration = BluetoothAdapter.Configuration.environment
    configuration.preferredMTU = mtu
    configuration.pairingAgent = agent
    do {
        let name = ProcessInfo.processInfo.environment["COREBLUETOOTH_ADAPTER"] ?? "air"
        try BluetoothAdapter.select(name, configuration: configuration)
    } catch {
        say("fault", ["reason": "\(error)"])
        exit(2)
    }
}

let peer = InteropPeer(agent: agent)

let reader = Thread {
    while let line = readLine() { peer.receive(line) }
    // The program that started this one has ended, or has closed the pipe.
    peer.queue.async { exit(0) }
}
reader.start()
RunLoop.main.run()
