package jobs;

// tag::run[]
class Job {
    // <1>
    void run() { } // <2>
}
// end::run[]
